// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/code_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

std::string problemOf(std::string_view text) {
    return errorOf(ErrorKind::kInvalidArgument, [&] { inspectCode(test::viewOf(text)); });
}

TEST(InspectCode, TellsTheKindByTheBytes) {
    EXPECT_EQ(inspectCode(test::sampleCubin()).kind, CodeKind::kCubin);
    EXPECT_EQ(inspectCode(test::sampleSharedObject({"f"})).kind, CodeKind::kHostObject);
    EXPECT_EQ(inspectCode(test::viewOf(test::kSamplePtx)).kind, CodeKind::kPtx);
    std::string const terminated = std::string(test::kSamplePtx) + std::string(2, '\0');
    EXPECT_EQ(inspectCode(test::viewOf(terminated)).entries.size(), 3U);
    EXPECT_STREQ(nameOf(CodeKind::kHostObject), "a host object");
}

TEST(InspectCode, SaysWhatOtherBytesAre) {
    EXPECT_THAT(problemOf(""), HasSubstr("got no bytes. Return the compiled code"));
    EXPECT_THAT(problemOf("__global__ void f() {}\n"),
                HasSubstr("got 23 bytes of other text. Compile source code first"));
    EXPECT_THAT(problemOf("\x01\x02\x03"), HasSubstr("got 3 bytes of something else"));
    EXPECT_THAT(problemOf("\x50\xed\x55\xba rest"), HasSubstr("got a fatbin. Give the cubin"));
    EXPECT_THAT(problemOf("!<arch>\n"), HasSubstr("got a static library. Link it with cc"));
    EXPECT_THAT(problemOf("BC\xc0\xde"), HasSubstr("got LLVM bitcode"));
    EXPECT_THAT(problemOf("MZ"), HasSubstr("got a Windows executable"));
    EXPECT_THAT(problemOf("\xcf\xfa\xed\xfe"), HasSubstr("got a Mach-O file"));
}

} // namespace
} // namespace kiln::plugin
