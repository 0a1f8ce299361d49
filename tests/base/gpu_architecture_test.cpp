// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/gpu_architecture.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

GpuArchitecture of(char const* text) {
    return parseGpuArchitecture(text).value();
}

TEST(GpuArchitecture, Texts) {
    for (char const* const text : {"sm_50", "sm_90", "sm_90a", "sm_103", "sm_120f"}) {
        EXPECT_EQ(of(text).text(), text);
    }
    EXPECT_EQ(of("compute_90a").text(), "sm_90a");
    EXPECT_EQ(of("sm_103").major, 10);
    EXPECT_EQ(of("sm_103").minor, 3);
    for (char const* const text :
         {"", "sm_", "sm_9", "sm_90b", "sm_09", "sm_9000", "SM_90", "90"}) {
        EXPECT_FALSE(parseGpuArchitecture(text).has_value()) << text;
    }
}

TEST(GpuArchitecture, MachineCodeRunsWithinAMajorNumber) {
    EXPECT_TRUE(runsCubin(of("sm_86"), of("sm_80")));
    EXPECT_FALSE(runsCubin(of("sm_80"), of("sm_86")));
    EXPECT_FALSE(runsCubin(of("sm_90"), of("sm_80")));
    EXPECT_TRUE(runsCubin(of("sm_90"), of("sm_90a")));
    EXPECT_FALSE(runsCubin(of("sm_103"), of("sm_100a")));
    EXPECT_TRUE(runsCubin(of("sm_103"), of("sm_100f")));
}

TEST(GpuArchitecture, PtxRunsOnLaterOnes) {
    EXPECT_TRUE(runsPtx(of("sm_90"), of("sm_80")));
    EXPECT_TRUE(runsPtx(of("sm_90"), of("sm_90")));
    EXPECT_FALSE(runsPtx(of("sm_80"), of("sm_90")));
    EXPECT_FALSE(runsPtx(of("sm_100"), of("sm_90a"))) << "bound to sm_90";
    EXPECT_FALSE(runsPtx(of("sm_120"), of("sm_100f"))) << "another family";
}

TEST(GpuArchitecture, NamesTellPtxFromMachineCode) {
    EXPECT_TRUE(runsCode(of("sm_90"), "compute_80"));
    EXPECT_FALSE(runsCode(of("sm_90"), "sm_80"));
    EXPECT_FALSE(runsCode(of("sm_75"), "compute_80"));
    EXPECT_FALSE(runsCode(of("sm_90"), "hopper"));
}

} // namespace
} // namespace kiln
