// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/kernel_launch.h"

#include <optional>

#include "targets/cuda/code_archive.h"
#include "targets/cuda/fault_word.h"
#include "targets/cuda/gpu_fixture.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using testing::ElementsAre;

TEST(LaunchOver, GivesEachItemAThread) {
    EXPECT_EQ(launchOver("f", 1).gridX, 1);
    EXPECT_EQ(launchOver("f", 256).gridX, 1);
    EXPECT_EQ(launchOver("f", 257).gridX, 2);
    EXPECT_EQ(launchOver("f", 0).gridX, 0);
    EXPECT_EQ(launchOver("f", 1000, 128).gridX, 8);
    EXPECT_EQ(launchOver("f", INT64_MAX).gridX, INT32_MAX);
}

struct Arguments {
    float factor = 1.0F;
    int64_t count = 0;
};

constexpr char const* kSource = R"(
struct Arguments { float factor; long long count; };
extern "C" __global__ void scale(float const* from, float* to, float* workspace, long long* fault,
                                 Arguments arguments) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < arguments.count;
         i += blockDim.x * gridDim.x) {
        workspace[i] = from[i] * arguments.factor;
        if (from[i] < 0.0F) { *fault = i + 1; }
    }
}
extern "C" __global__ void add_one(float const*, float* to, float const* workspace, long long*,
                                   Arguments arguments) {
    for (long long i = threadIdx.x; i < arguments.count; i += blockDim.x) {
        to[i] = workspace[i] + 1.0F;
    }
}
)";

class GpuKernelLaunch : public test::EmulatedGpuTest {
protected:
    void SetUp() override {
        EmulatedGpuTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        std::string const architectures[] = {"sm_90"};
        code_.emplace(compileFor({"test.cu", kSource, {}}, architectures));
        arguments_ = {2.0F, 3};
        launch_.set(*code_, {{"scale", 1, 1, 1, 32}, {"scale", 0}, {"add_one", 1, 1, 1, 32}});
        launch_.describe({1, 1, true, fault_.address(), &arguments_});
    }

    int32_t run(test::GpuNumbers const& from, test::GpuNumbers const& to,
                test::GpuNumbers const& workspace) {
        void const* inputs[] = {from.address()};
        void* outputs[] = {to.address()};
        return KernelLaunch::run(&launch_, KernelCall{inputs, outputs, workspace.address()},
                                 nullptr);
    }

    std::optional<LoadedCode> code_;
    FaultWord fault_;
    Arguments arguments_;
    KernelLaunch launch_;
};

TEST_F(GpuKernelLaunch, RunsAllThatHaveBlocksInOrder) {
    test::GpuNumbers const from(cuda_, {1, 2, 3});
    test::GpuNumbers const to(cuda_, {0, 0, 0});
    test::GpuNumbers const workspace(cuda_, {0, 0, 0});
    uint64_t const before = calls("cuLaunchKernel");
    EXPECT_EQ(run(from, to, workspace), 0);
    EXPECT_EQ(calls("cuLaunchKernel"), before + 2);
    EXPECT_THAT(to.read(), ElementsAre(3, 5, 7));
    EXPECT_EQ(fault_.value(), 0);
}

TEST_F(GpuKernelLaunch, StopsAfterAFault) {
    test::GpuNumbers const from(cuda_, {1, -2, 3});
    test::GpuNumbers const to(cuda_, {0, 0, 0});
    test::GpuNumbers const workspace(cuda_, {0, 0, 0});
    EXPECT_EQ(run(from, to, workspace), 0);
    cuda_.synchronize(nullptr);
    EXPECT_EQ(fault_.value(), 2);
    EXPECT_NE(run(from, to, workspace), 0);
    fault_.take();
    EXPECT_EQ(run(from, to, workspace), 0);
    cuda_.synchronize(nullptr);
}

TEST_F(GpuKernelLaunch, TellsWhyALaunchFailed) {
    test::GpuNumbers const from(cuda_, {1, 2, 3});
    test::GpuNumbers const to(cuda_, {0, 0, 0});
    test::GpuNumbers const workspace(cuda_, {0, 0, 0});
    failCall("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EXPECT_NE(run(from, to, workspace), 0);
    EXPECT_EQ(launch_.failureText(),
              "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (too many resources requested for launch)");
}

} // namespace
} // namespace kiln::targets::cuda
