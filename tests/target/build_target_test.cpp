// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/build_target.h"

#include <thread>

#include <gtest/gtest.h>

namespace kiln::target {
namespace {

TEST(BuildTarget, ScopesNestAndEnd) {
    EXPECT_EQ(buildTarget(), "");
    {
        BuildTargetScope const outer("cuda", "sm_90");
        EXPECT_EQ(buildTarget(), "cuda:sm_90");
        {
            BuildTargetScope const inner("cpu", "x86-64");
            EXPECT_EQ(buildTarget(), "cpu:x86-64");
        }
        EXPECT_EQ(buildTarget(), "cuda:sm_90");
    }
    EXPECT_EQ(buildTarget(), "");
}

TEST(BuildTarget, IsTheThreadsOwn) {
    BuildTargetScope const scope("cuda", "sm_90");
    std::string other = "unset";
    std::thread([&] { other = buildTarget(); }).join();
    EXPECT_EQ(other, "");
}

} // namespace
} // namespace kiln::target
