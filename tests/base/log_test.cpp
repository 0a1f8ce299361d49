// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gmock/gmock.h>

namespace kiln::test {
namespace {

class Recorder : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        lines.emplace_back(severity, message);
    }
    std::vector<std::pair<Severity, std::string>> lines;
};

TEST(Log, SendsEachSeverityToTheUser) {
    Recorder recorder;
    Log const log(&recorder);
    log.error("a {}", 1);
    log.warning("b");
    log.info("c");
    log.verbose("d");
    using testing::Pair;
    EXPECT_THAT(recorder.lines,
                testing::ElementsAre(Pair(Severity::kERROR, "a 1"), Pair(Severity::kWARNING, "b"),
                                     Pair(Severity::kINFO, "c"), Pair(Severity::kVERBOSE, "d")));
}

TEST(Log, WithoutALoggerDropsMessages) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Log{}.error("lost");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
} // namespace kiln::test
