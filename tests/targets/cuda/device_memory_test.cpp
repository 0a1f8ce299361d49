// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using target::CopyKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using GpuMemory = test::GpuTest;

TEST_F(GpuMemory, IsCopiedAndFilled) {
    test::GpuNumbers const from(cuda_, {1, 2, 3});
    test::GpuNumbers const to(cuda_, {0, 0, 0});
    cuda_.copy(to.address(), from.address(), 8, CopyKind::kDeviceToDevice, nullptr);
    EXPECT_THAT(to.read(), ElementsAre(1, 2, 0));
    cuda_.fill(static_cast<std::byte*>(to.address()) + 4, 0, 4, nullptr);
    EXPECT_THAT(to.read(), ElementsAre(1, 0, 0));
    cuda_.copy(nullptr, nullptr, 0, CopyKind::kDeviceToDevice, nullptr);
    cuda_.fill(nullptr, 1, 0, nullptr);
}

TEST_F(GpuMemory, OfSizeZeroHasAnAddress) {
    void* const memory = cuda_.allocate(0, 1, "nothing");
    EXPECT_NE(memory, nullptr);
    cuda_.release(memory);
    void* const pinned = cuda_.allocateHost(0);
    EXPECT_NE(pinned, nullptr);
    cuda_.releaseHost(pinned);
}

TEST_F(GpuMemory, IsAlignedAsItCanBe) {
    void* const memory = cuda_.allocate(100, 256, "a test");
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0U);
    cuda_.release(memory);
    EXPECT_EQ(errorOf(ErrorKind::kInvalidArgument, [&] { cuda_.allocate(1, 512, "a test"); }),
              "[cuda] memory for a test: expected an alignment of at most 256, got 512. Ask for "
              "less.");
}

TEST_F(GpuMemory, OfTheHostIsReadByCopiesWhenTheyRun) {
    auto* const pinned = static_cast<float*>(cuda_.allocateHost(2 * sizeof(float)));
    pinned[0] = 5.0F;
    pinned[1] = 6.0F;
    test::GpuNumbers const numbers(cuda_, {0, 0});
    cuda_.copy(numbers.address(), pinned, 8, CopyKind::kHostToDevice, nullptr);
    EXPECT_THAT(numbers.read(), ElementsAre(5, 6));
    pinned[0] = 0.0F;
    cuda_.copy(pinned, numbers.address(), 8, CopyKind::kDeviceToHost, nullptr);
    cuda_.synchronize(nullptr);
    EXPECT_EQ(pinned[0], 5.0F);
    cuda_.releaseHost(pinned);
}

TEST_F(GpuMemory, IsToldFromTheHosts) {
    test::GpuNumbers const numbers(cuda_, {1, 2});
    void* const pinned = cuda_.allocateHost(8);
    float plain = 0.0F;
    EXPECT_EQ(cuda_.pointerProblem(numbers.address()), "");
    EXPECT_EQ(cuda_.pointerProblem(static_cast<std::byte*>(numbers.address()) + 4), "");
    EXPECT_EQ(cuda_.pointerProblem(pinned), "");
    EXPECT_EQ(cuda_.pointerProblem(nullptr), "it is null");
    EXPECT_EQ(cuda_.pointerProblem(&plain),
              "expected memory of the GPU, got host memory. Allocate it with cudaMalloc, Torch or "
              "CuPy and copy the data there");
    EXPECT_EQ(cuda_.hostPointerProblem(&plain), "");
    EXPECT_EQ(cuda_.hostPointerProblem(pinned), "");
    EXPECT_EQ(cuda_.hostPointerProblem(nullptr), "it is null");
    EXPECT_THAT(cuda_.hostPointerProblem(numbers.address()),
                HasSubstr("expected host memory, since the host reads or writes the values, got "
                          "memory of the GPU."));
    cuda_.releaseHost(pinned);
}

using GpuMemoryShort = test::EmulatedGpuTest;

TEST_F(GpuMemoryShort, SaysHowMuchForWhatAndWhatIsFree) {
    std::size_t const total = Gpu::current().totalBytes;
    std::size_t free = 0;
    std::size_t all = 0;
    Driver::instance().memGetInfo(&free, &all);
    std::size_t const room = all - free + (1 << 20); // lost GPUs of other tests keep their memory
    setMemory(room);
    void* const half = cuda_.allocate(1 << 19, 256, "a half");
    EXPECT_EQ(
        errorOf(ErrorKind::kOutOfMemory,
                [&] { cuda_.allocate((1 << 19) + 1, 256, "the arena of a test"); }),
        fmt::format("[cuda] cannot allocate 524289 bytes for the arena of a test: 524288 of {} "
                    "bytes are free on Emulated GPU. Use smaller shapes, or free memory.",
                    room));
    cuda_.release(half);
    void* const whole = cuda_.allocate(1 << 20, 256, "a whole");
    cuda_.release(whole);
    setMemory(total);
}

TEST_F(GpuMemoryShort, SaysWhatTheDriverSays) {
    failCall("cuMemAlloc_v2", CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.allocate(1, 1, "a test"); }),
                HasSubstr("[cuda] allocate memory: expected success, got"));
    failCall("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(errorOf(ErrorKind::kOutOfMemory, [&] { cuda_.allocateHost(1); }),
                HasSubstr("[cuda] allocate pinned memory: expected success, got"));
    test::GpuNumbers const numbers(cuda_, {1, 2});
    std::array<float, 2> host{};
    auto const copied = [&](char const* function, CopyKind kind, char const* words) {
        failCall(function, CUDA_ERROR_INVALID_VALUE);
        bool const toHost = kind == CopyKind::kDeviceToHost;
        void* const to = toHost ? host.data() : numbers.address();
        void const* const from = kind == CopyKind::kHostToDevice
                                     ? static_cast<void const*>(host.data())
                                     : numbers.address();
        EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.copy(to, from, 8, kind, nullptr); }),
                    HasSubstr(words));
    };
    copied("cuMemcpyHtoDAsync_v2", CopyKind::kHostToDevice, "[cuda] copy to the GPU: expected");
    copied("cuMemcpyDtoHAsync_v2", CopyKind::kDeviceToHost, "[cuda] copy from the GPU: expected");
    copied("cuMemcpyDtoDAsync_v2", CopyKind::kDeviceToDevice, "[cuda] copy on the GPU: expected");
    failCall("cuMemsetD8Async", CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.fill(numbers.address(), 0, 8, nullptr); }),
                HasSubstr("[cuda] fill memory: expected"));
    failCall("cuPointerGetAttribute", CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.pointerProblem(numbers.address()); }),
                HasSubstr("[cuda] ask where a pointer leads: "));
}

} // namespace
} // namespace kiln::targets::cuda
