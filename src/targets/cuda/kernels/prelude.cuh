// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by all kernels: integer names, half and bfloat16 as plain words with conversions, wide
// loads and stores. CUDA's own headers are not included: they would double the compile time.
#pragma once

#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#endif

#define KILN_KERNEL extern "C" __global__

/// Goes before a kernel parameter that is passed by value and indexed: the parameter stays in place
/// instead of being copied to local memory. Such a parameter is const.
#ifdef __CUDA_ARCH__
#define KILN_IN_PLACE __grid_constant__ const
#else
#define KILN_IN_PLACE const
#endif

struct half_t {
    uint16_t bits;
};

struct bfloat16_t {
    uint16_t bits;
};

/// Storage of one bool. A user's buffer may hold any byte; a C++ bool may not.
struct bool_t {
    uint8_t bits;
};

/// Tells the compiler that the pointer is not to shared or local memory. Without this, loads
/// through a pointer taken from an array are slower.
template <typename T>
__device__ inline T* inGlobalMemory(T* pointer) {
#ifdef __CUDA_ARCH__
    __builtin_assume(__isGlobal(pointer));
#endif
    return pointer;
}

/// The maximum rank of a tensor.
constexpr int kMaxRank = 8;

// Conversions between element types and float. Integers beyond 2^24 lose digits.

__device__ inline float toFloat(float value) { return value; }
__device__ inline float toFloat(int8_t value) { return value; }
__device__ inline float toFloat(uint8_t value) { return value; }
__device__ inline float toFloat(int32_t value) { return static_cast<float>(value); }
__device__ inline float toFloat(int64_t value) { return static_cast<float>(value); }
__device__ inline float toFloat(bool_t value) { return value.bits != 0 ? 1.0F : 0.0F; }

__device__ inline float toFloat(half_t value) {
#ifdef __CUDA_ARCH__
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
#else
    return static_cast<float>(*reinterpret_cast<_Float16 const*>(&value.bits));
#endif
}

__device__ inline float toFloat(bfloat16_t value) {
    return __uint_as_float(static_cast<uint32_t>(value.bits) << 16);
}

/// fromFloat<T>(x): rounded to nearest, ties to even, for half and bfloat16; a C++ cast for all
/// other types.
template <typename T>
struct FromFloat {
    static __device__ T convert(float value) { return static_cast<T>(value); }
};

template <>
struct FromFloat<half_t> {
    static __device__ half_t convert(float value) {
        half_t result;
#ifdef __CUDA_ARCH__
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
#else
        *reinterpret_cast<_Float16*>(&result.bits) = static_cast<_Float16>(value);
#endif
        return result;
    }
};

template <>
struct FromFloat<bfloat16_t> {
    static __device__ bfloat16_t convert(float value) {
        bfloat16_t result;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
#else
        uint32_t const bits = __float_as_uint(value);
        if ((bits & 0x7fffffffU) > 0x7f800000U) { // NaN stays NaN
            result.bits = static_cast<uint16_t>(bits >> 16 | 0x40U);
        } else {
            result.bits = static_cast<uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
        }
#endif
        return result;
    }
};

template <typename T>
__device__ inline T fromFloat(float value) {
    return FromFloat<T>::convert(value);
}

/// kCount elements that are loaded and stored at once; the address is aligned to their total size.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
    T at[kCount];
};

/// Index of this thread in the grid, and the number of threads in the grid.
__device__ inline int64_t threadIndex() {
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t threadCount() {
    return static_cast<int64_t>(gridDim.x) * blockDim.x;
}
