// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

std::string problemOf(std::string const& text) {
    return errorOf(ErrorKind::kCorruptData, [&] { inspectPtx(text); });
}

TEST(Ptx, ReadsKernelsWithTheirParameters) {
    CodeInfo const info = inspectPtx(test::kSamplePtx);
    EXPECT_EQ(info.kind, CodeKind::kPtx);
    EXPECT_EQ(info.ptxVersion, 94);
    EXPECT_EQ(info.architecture, "sm_90a");
    ASSERT_EQ(info.entries.size(), 3U);
    CodeEntry const& add = info.entries[0];
    EXPECT_EQ(add.name, "add");
    ASSERT_EQ(add.parameters.size(), 7U);
    EXPECT_EQ(add.parameters[0].bytes, 8);
    EXPECT_EQ(add.parameters[2].bytes, 4);
    EXPECT_EQ(add.parameters[2].holds, ParameterClass::kInteger);
    EXPECT_EQ(add.parameters[3].holds, ParameterClass::kReal);
    EXPECT_TRUE(add.parameters[1].used);
    EXPECT_TRUE(add.parameters[4].used);
    EXPECT_FALSE(add.parameters[5].used);
    EXPECT_FALSE(add.parameters[6].used);
}

TEST(Ptx, ReadsArraysSmallTypesAndNone) {
    CodeInfo const info = inspectPtx(test::kSamplePtx);
    CodeEntry const& other = info.entries[1];
    ASSERT_EQ(other.parameters.size(), 3U);
    EXPECT_EQ(other.parameters[0].bytes, 12);
    EXPECT_EQ(other.parameters[1].bytes, 2);
    EXPECT_EQ(other.parameters[1].holds, ParameterClass::kUnknown);
    EXPECT_EQ(other.parameters[2].bytes, 1);
    EXPECT_EQ(info.entries[2].name, "nothing");
    EXPECT_TRUE(info.entries[2].parameters.empty());
}

TEST(Ptx, DeclarationsAreNoEntries) {
    CodeInfo const info = inspectPtx(
        ".version 8.0 .target sm_80 .entry a(.param .u32 x); .entry a(.param .u32 x) {}");
    EXPECT_EQ(info.entries.size(), 1U);
}

TEST(Ptx, SaysWhereItIsDamaged) {
    std::string const head = ".version 8.0\n.target sm_80\n";
    EXPECT_THAT(problemOf(".version 8"), HasSubstr("expected a version such as 9.0, got '8'"));
    EXPECT_THAT(problemOf(".version 8.0 .entry"), HasSubstr("expected .target, got '.entry'"));
    EXPECT_THAT(problemOf(".version 8.0\n.target gpu"),
                HasSubstr("PTX, line 2: expected an architecture such as sm_90, got 'gpu'"));
    EXPECT_THAT(problemOf(head + ".entry f(x)"), HasSubstr("line 3: expected .param, got 'x'"));
    EXPECT_THAT(problemOf(head + ".entry f(.param x)"),
                HasSubstr("expected a parameter with a type and a name, got 'x'"));
    EXPECT_THAT(problemOf(head + ".entry f(.param .q7 x)"),
                HasSubstr("expected the type of a parameter, got '.q7'"));
    EXPECT_THAT(problemOf(head + ".entry f(.param .b8 x[-1])"),
                HasSubstr("expected the extent of a parameter"));
    EXPECT_THAT(problemOf(head + ".entry f()"), HasSubstr("expected the body of a kernel"));
    EXPECT_THAT(problemOf(head + ".entry f() { {}"), HasSubstr("expected the end of a kernel"));
}

} // namespace
} // namespace kiln::plugin
