// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Compares Kiln's declarations of the driver with those of cuda.h, if it was found.
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include "targets/cuda/driver/driver.h"

#ifdef KILN_CUDA_H

namespace kiln::targets::cuda {
// Read before cuda.h defines macros of these names.
constexpr unsigned kPortable = CU_MEMHOSTALLOC_PORTABLE;
constexpr unsigned kDeviceMap = CU_MEMHOSTALLOC_DEVICEMAP;
} // namespace kiln::targets::cuda

#include KILN_CUDA_H

namespace {

namespace ours = kiln::targets::cuda;

/// Types are compared as they are passed: enumerations as integers, pointers as pointers.
template <typename T>
struct Passed {
    using Type = T;
};
template <typename T>
    requires std::is_enum_v<T>
struct Passed<T> {
    using Type = int;
};
template <>
struct Passed<CUdeviceptr> {
    using Type = unsigned long long;
};
template <typename T>
struct Passed<T*> {
    using Type = void*;
};
template <typename R, typename... P>
struct Passed<R (*)(P...)> {
    using Type = void (*)(typename Passed<R>::Type, typename Passed<P>::Type...);
};

#define KILN_COMPARE(symbol, member, parameters)                                                   \
    static_assert(std::is_same_v<Passed<decltype(ours::Driver::member)>::Type,                     \
                                 Passed<decltype(&::symbol)>::Type>,                               \
                  #symbol " has other parameters in cuda.h");
KILN_CUDA_DRIVER_FUNCTIONS(KILN_COMPARE)
#undef KILN_COMPARE

#define KILN_SAME(name)                                                                            \
    static_assert(static_cast<int>(ours::name) == static_cast<int>(::name),                        \
                  #name " has another value in cuda.h")
KILN_SAME(CUDA_SUCCESS);
KILN_SAME(CUDA_ERROR_INVALID_VALUE);
KILN_SAME(CUDA_ERROR_OUT_OF_MEMORY);
KILN_SAME(CUDA_ERROR_NOT_INITIALIZED);
KILN_SAME(CUDA_ERROR_NO_DEVICE);
KILN_SAME(CUDA_ERROR_INVALID_IMAGE);
KILN_SAME(CUDA_ERROR_INVALID_CONTEXT);
KILN_SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
KILN_SAME(CUDA_ERROR_INVALID_PTX);
KILN_SAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
KILN_SAME(CUDA_ERROR_NOT_FOUND);
KILN_SAME(CUDA_ERROR_NOT_READY);
KILN_SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
KILN_SAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
KILN_SAME(CUDA_ERROR_LAUNCH_FAILED);
KILN_SAME(CUDA_ERROR_NOT_SUPPORTED);
KILN_SAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
KILN_SAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
KILN_SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
KILN_SAME(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
KILN_SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
KILN_SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
KILN_SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
KILN_SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
KILN_SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
KILN_SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
KILN_SAME(CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
KILN_SAME(CU_POINTER_ATTRIBUTE_IS_MANAGED);
KILN_SAME(CU_MEMORYTYPE_HOST);
KILN_SAME(CU_MEMORYTYPE_DEVICE);
KILN_SAME(CU_MEMORYTYPE_UNIFIED);
KILN_SAME(CU_JIT_ERROR_LOG_BUFFER);
KILN_SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
KILN_SAME(CU_STREAM_CAPTURE_STATUS_NONE);
KILN_SAME(CU_STREAM_CAPTURE_STATUS_ACTIVE);
KILN_SAME(CU_STREAM_CAPTURE_STATUS_INVALIDATED);
KILN_SAME(CU_STREAM_CAPTURE_MODE_GLOBAL);
KILN_SAME(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
KILN_SAME(CU_STREAM_DEFAULT);
KILN_SAME(CU_STREAM_NON_BLOCKING);
KILN_SAME(CU_EVENT_DEFAULT);
KILN_SAME(CU_EVENT_DISABLE_TIMING);
KILN_SAME(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
KILN_SAME(CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
KILN_SAME(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
KILN_SAME(CU_TENSOR_MAP_INTERLEAVE_NONE);
KILN_SAME(CU_TENSOR_MAP_SWIZZLE_128B);
KILN_SAME(CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
KILN_SAME(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
#undef KILN_SAME
static_assert(sizeof(ours::CUtensorMap) == sizeof(::CUtensorMap));
static_assert(alignof(ours::CUtensorMap) == alignof(::CUtensorMap));
static_assert(sizeof(ours::CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(ours::CUlaunchConfig, attrs) == offsetof(::CUlaunchConfig, attrs));
static_assert(sizeof(ours::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(offsetof(ours::CUlaunchAttribute, programmaticStreamSerializationAllowed) ==
              offsetof(::CUlaunchAttribute, value));
static_assert(ours::kPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(ours::kDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);

TEST(DriverTypes, AreThoseOfCudaH) {
    SUCCEED() << "compared by the compiler";
}

} // namespace

#else

TEST(DriverTypes, AreThoseOfCudaH) {
    GTEST_SKIP() << "there was no cuda.h when this was compiled";
}

#endif
