// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::target {
namespace {

using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Target, NameAlone) {
    Target const target = parseTarget("cpu");
    EXPECT_EQ(target.name, "cpu");
    EXPECT_THAT(target.architectures, IsEmpty());
    EXPECT_EQ(target.text(), "cpu");
}

TEST(Target, ArchitecturesAreSortedAndCountOnce) {
    Target const target = parseTarget("cuda:sm_100+sm_90+sm_80+sm_90");
    EXPECT_EQ(target.name, "cuda");
    EXPECT_THAT(target.architectures, ElementsAre("sm_80", "sm_90", "sm_100"));
    EXPECT_EQ(target.text(), "cuda:sm_80+sm_90+sm_100");
}

TEST(Target, NameOfAText) {
    EXPECT_EQ(nameOfTarget("cuda:sm_90"), "cuda");
    EXPECT_EQ(nameOfTarget("cpu"), "cpu");
    EXPECT_EQ(nameOfTarget(""), "");
}

TEST(Target, MalformedTextsAreRefusedWithThePlace) {
    auto const problem = [](char const* text) {
        return errorOf(ErrorKind::kInvalidArgument, [&] { parseTarget(text); });
    };
    EXPECT_THAT(problem(""), HasSubstr("'', character 1: expected the name of a target, got ''"));
    EXPECT_THAT(problem("cuda:"), HasSubstr("character 6: expected an architecture, got ''"));
    EXPECT_THAT(problem("cuda:sm_80+"), HasSubstr("character 12: expected an architecture"));
    EXPECT_THAT(problem("cuda:sm_80,sm_90"), HasSubstr("got 'sm_80,sm_90'. Write it as in cpu"));
    EXPECT_THAT(problem("CUDA"), HasSubstr("got 'CUDA'"));
}

} // namespace
} // namespace kiln::target
