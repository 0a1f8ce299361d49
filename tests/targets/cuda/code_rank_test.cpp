// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which code of a plugin the backend prefers on the emulated GPU: sm_90, CUDA 13.0.
#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using testing::HasSubstr;

using GpuCodeRank = test::EmulatedGpuTest;

TEST_F(GpuCodeRank, PrefersMachineCodeThenTheNearest) {
    auto const rank = [&](CodeKind kind, char const* architecture) {
        return cuda_.rankOf(kind, architecture, 80);
    };
    EXPECT_GT(rank(CodeKind::kCubin, "sm_90"), rank(CodeKind::kPtx, "sm_90"));
    EXPECT_GT(rank(CodeKind::kPtx, "sm_90"), rank(CodeKind::kPtx, "sm_80"));
    EXPECT_GT(rank(CodeKind::kPtx, "sm_80"), rank(CodeKind::kPtx, "sm_75"));
    EXPECT_GT(rank(CodeKind::kPtx, "sm_75"), 0);
    EXPECT_EQ(rank(CodeKind::kCubin, "sm_80"), 0);
    EXPECT_EQ(rank(CodeKind::kPtx, "sm_100"), 0);
    EXPECT_EQ(rank(CodeKind::kHostObject, "x86-64"), 0);
    EXPECT_EQ(rank(CodeKind::kCubin, "rubbish"), 0);
}

TEST_F(GpuCodeRank, SaysWhyCodeDoesNotRun) {
    EXPECT_EQ(cuda_.codeProblem(CodeKind::kCubin, "sm_90", 0), "");
    EXPECT_EQ(cuda_.codeProblem(CodeKind::kHostObject, "x86-64", 0), "it is for the CPU");
    EXPECT_EQ(cuda_.codeProblem(CodeKind::kCubin, "sm_80", 0),
              "it is for sm_80, the GPU here is sm_90");
    EXPECT_EQ(cuda_.codeProblem(CodeKind::kPtx, "sm_80", 90), "");
    EXPECT_EQ(cuda_.codeProblem(CodeKind::kPtx, "sm_80", 91),
              "it is PTX 9.1, the driver here is for CUDA 13.0 and takes PTX up to 9.0; install a "
              "newer driver, or keep a cubin beside the PTX");
}

TEST_F(GpuCodeRank, SaysWhyAPlanDoesNotRun) {
    EXPECT_EQ(cuda_.architectureProblem("sm_80+sm_90"), "");
    EXPECT_EQ(cuda_.architectureProblem("sm_80"), "the GPU here is Emulated GPU (sm_90)");
    EXPECT_NE(CudaBackend(target::parseTarget("cuda:sm_90")).device(), nullptr);
    CudaBackend older(target::parseTarget("cuda:sm_80"));
    EXPECT_EQ(older.device(), nullptr);
    EXPECT_EQ(older.noDevice(), "the GPU here is Emulated GPU (sm_90)");
    EXPECT_EQ(CudaBackend(target::parseTarget("cuda")).planArchitecture(), "sm_90");
    EXPECT_EQ(cuda_.properties().name, "Emulated GPU");
    EXPECT_EQ(cuda_.properties().architecture, "sm_90");
}

} // namespace
} // namespace kiln::targets::cuda
