// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Errors that plugins report during destruction, when no call is left to return them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

void expectReported(Style style, std::string const& callback) {
    Script script;
    script.reportAt = callback;
    Outcome const outcome = UserStory(script, style).play();
    std::string const text = "[plugin] layer 'custom', plugin Scripted (version 1), " + callback +
                             ": raised an error\nRuntimeError: the author's words";
    EXPECT_EQ(outcome.stage, "done"); // no call failed
    EXPECT_THAT(outcome.errors, HasSubstr(text));
    EXPECT_THAT(outcome.recorded, Contains(Pair(testing::_, HasSubstr(text))));
}

TEST(LateErrors, DestroyOfV3) {
    expectReported(Style::kV3, "destroy");
}

TEST(LateErrors, DestroyOfV2) {
    expectReported(Style::kV2, "destroy");
}

TEST(LateErrors, Terminate) {
    expectReported(Style::kV2, "terminate");
}

TEST(LateErrors, DetachFromContext) {
    expectReported(Style::kV2, "detachFromContext");
}

} // namespace
} // namespace kiln::test
