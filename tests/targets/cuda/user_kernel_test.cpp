// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/user_kernel.h"

#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using target::UserKernelSpec;
using target::UserLaunch;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// The order of a kernel's parameters: inputs, scalars, outputs, null pointers.
constexpr char const* kSource = R"(
extern "C" __global__ void mix(float const* x, float const* y, signed char a, short b, int c,
                               long long d, float e, double f, float* sum, float* seen,
                               void* nothing, void* nobody) {
    int const i = threadIdx.x + blockDim.x * threadIdx.y;
    sum[i] = x[i] + y[i];
    if (i == 0) {
        seen[0] = a; seen[1] = b; seen[2] = c; seen[3] = d; seen[4] = e; seen[5] = f;
        seen[6] = nothing == nullptr && nobody == nullptr;
        seen[7] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
    }
}
)";

UserKernelSpec specOf(ByteView code) {
    UserKernelSpec spec;
    spec.entry = "mix";
    spec.kind = CodeKind::kCubin;
    spec.code = code;
    spec.scalars = {ScalarType::kInt8,  ScalarType::kInt16,   ScalarType::kInt32,
                    ScalarType::kInt64, ScalarType::kFloat32, ScalarType::kFloat64};
    spec.inputs.resize(2);
    spec.outputs.resize(2);
    spec.nullPointers = 2;
    return spec;
}

UserLaunch launchOf(std::array<int64_t, 3> grid, std::array<int64_t, 3> block, int64_t shared = 0) {
    return {
        grid, block, shared, {{-3, 0}, {-300, 0}, {70000, 0}, {1 << 24, 0}, {0, 0.5}, {0, 0.25}}};
}

class GpuUserKernel : public test::EmulatedGpuTest {
protected:
    void SetUp() override {
        EmulatedGpuTest::SetUp();
        if (!IsSkipped()) {
            code_ = test::compiled(kSource);
            kernel_ = loadGpuKernel(specOf(code_));
            code_.assign(code_.size(), std::byte{0}); // the loaded kernel does not need it
            instance_ = kernel_->instantiate();
        }
    }

    int32_t run(test::GpuNumbers const& x, test::GpuNumbers const& y, test::GpuNumbers const& sum,
                test::GpuNumbers const& seen) {
        void const* inputs[] = {x.address(), y.address()};
        void* outputs[] = {sum.address(), seen.address()};
        target::Launch const launch = instance_->launch();
        return launch.run(launch.state, {inputs, outputs, nullptr}, nullptr);
    }

    Bytes code_;
    std::unique_ptr<target::UserKernel> kernel_;
    std::unique_ptr<target::UserKernelInstance> instance_;
};

TEST_F(GpuUserKernel, GetsItsParametersInOrder) {
    test::GpuNumbers const x(cuda_, {1, 2, 3, 4});
    test::GpuNumbers const y(cuda_, {10, 20, 30, 40});
    test::GpuNumbers const sum(cuda_, {0, 0, 0, 0});
    test::GpuNumbers const seen(cuda_, {0, 0, 0, 0, 0, 0, 0, 0});
    instance_->setLaunch(launchOf({1, 2, 3}, {2, 2, 1}));
    instance_->reshape({}, {});
    ASSERT_EQ(run(x, y, sum, seen), 0);
    EXPECT_THAT(sum.read(), ElementsAre(11, 22, 33, 44));
    EXPECT_THAT(seen.read(), ElementsAre(-3, -300, 70000, 1 << 24, 0.5, 0.25, 1, 123));
}

TEST_F(GpuUserKernel, RefusesLaunchesThatNoGpuTakes) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { instance_->setLaunch(launchOf({0, 1, 1}, {1, 1, 1})); }),
                HasSubstr("grid_x: expected 1 to 2147483647, got 0"));
    CudaBackend const backend(target::parseTarget("cuda:sm_90"));
    EXPECT_EQ(backend.launchProblem(launchOf({1, 1, 1}, {1024, 1, 1}, 232448)), "");
    EXPECT_THAT(backend.launchProblem(launchOf({1, 1, 1}, {1025, 1, 1})), HasSubstr("block_x"));
}

TEST_F(GpuUserKernel, AsksForMuchSharedMemory) {
    uint64_t const before = calls("cuFuncSetAttribute");
    instance_->setLaunch(launchOf({1, 1, 1}, {4, 1, 1}, 48 << 10));
    EXPECT_EQ(calls("cuFuncSetAttribute"), before);
    instance_->setLaunch(launchOf({1, 1, 1}, {4, 1, 1}, 100000));
    EXPECT_EQ(calls("cuFuncSetAttribute"), before + 1);
    test::GpuNumbers const four(cuda_, {1, 2, 3, 4});
    test::GpuNumbers const eight(cuda_, {0, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(run(four, four, eight, eight), 0);
    cuda_.synchronize(nullptr);
    instance_->setLaunch(launchOf({1, 1, 1}, {4, 1, 1}, 90000)); // the limit is high enough
    EXPECT_EQ(calls("cuFuncSetAttribute"), before + 1);
    failCall("cuFuncSetAttribute", CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(errorOf(ErrorKind::kDevice,
                        [&] { instance_->setLaunch(launchOf({1, 1, 1}, {4, 1, 1}, 100001)); }),
                HasSubstr("[cuda] ask for shared memory: expected success, got"));
}

TEST_F(GpuUserKernel, ContextsDoNotTakeSharedMemoryFromEachOther) {
    std::unique_ptr<target::UserKernelInstance> other = kernel_->instantiate();
    other->setLaunch(launchOf({1, 1, 1}, {4, 1, 1}, 200000));
    instance_->setLaunch(launchOf({1, 1, 1}, {4, 1, 1}, 60000)); // the smaller size is set last
    std::swap(instance_, other);
    test::GpuNumbers const four(cuda_, {1, 2, 3, 4});
    test::GpuNumbers const eight(cuda_, {0, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(run(four, four, eight, eight), 0) << instance_->failureText();
    cuda_.synchronize(nullptr);
}

TEST_F(GpuUserKernel, TellsHowALaunchFailed) {
    test::GpuNumbers const four(cuda_, {1, 2, 3, 4});
    test::GpuNumbers const eight(cuda_, {0, 0, 0, 0, 0, 0, 0, 0});
    instance_->setLaunch(launchOf({7, 1, 1}, {4, 2, 1}, 16));
    failCall("cuLaunchKernel", CUDA_ERROR_INVALID_VALUE);
    EXPECT_NE(run(four, four, eight, eight), 0);
    EXPECT_EQ(instance_->failureText(),
              "the launch of 7 x 1 x 1 blocks of 4 x 2 x 1 threads with 16 bytes of shared memory: "
              "expected success, got CUDA_ERROR_INVALID_VALUE (invalid argument)");
    failCall("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EXPECT_NE(run(four, four, eight, eight), 0);
    EXPECT_THAT(instance_->failureText(),
                AllOf(HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
                      HasSubstr(". Use smaller blocks: the kernel needs more registers or shared "
                                "memory than so many threads can have")));
}

TEST_F(GpuUserKernel, NeedsCodeWithItsName) {
    Bytes const code = test::compiled(kSource);
    UserKernelSpec spec = specOf(code);
    spec.entry = "blend";
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { loadGpuKernel(spec); }),
                HasSubstr("expected a kernel named 'blend' in the code"));
}

} // namespace
} // namespace kiln::targets::cuda
