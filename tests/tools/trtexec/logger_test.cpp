// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "logger.h"

#include <gmock/gmock.h>

namespace kiln::trtexec {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(Logger, StampsAndMarksLines) {
    Logger logger;
    testing::internal::CaptureStdout();
    logger.info("{} things", 3);
    logger.log(Severity::kINFO, "from the library");
    logger.verbose("unheard");
    logger.setVerbose(true);
    logger.verbose("heard");
    std::string const text = testing::internal::GetCapturedStdout();
    EXPECT_THAT(text, ContainsRegex("^\\[[0-9]{2}/[0-9]{2}/[0-9]{4}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\] "
                                    "\\[I\\] 3 things\n"));
    EXPECT_THAT(text, HasSubstr("[I] [TRT] from the library\n"));
    EXPECT_THAT(text, HasSubstr("[V] heard\n"));
    EXPECT_THAT(text, Not(HasSubstr("unheard")));
}

TEST(Logger, SendsWarningsAndErrorsToStandardError) {
    Logger logger;
    testing::internal::CaptureStderr();
    logger.warning("careful");
    logger.error("broken");
    logger.log(Severity::kINTERNAL_ERROR, nullptr);
    std::string const text = testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, HasSubstr("[W] careful\n"));
    EXPECT_THAT(text, HasSubstr("[E] broken\n"));
    EXPECT_THAT(text, HasSubstr("[F] [TRT] \n"));
}

} // namespace
} // namespace kiln::trtexec
