// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's language for a C++ compiler: included before every kernel source. It includes no header
// of the C++ library, as NVRTC has none, so that a kernel may be called select or copy.
#pragma once

#define __CUDACC_RTC__ 1
#define __host__
#define __device__
#define __shared__ static
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_assume(condition)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)
// Survives the preprocessor, so that the functions can be found. The compiler ignores it.
#define __global__ __attribute__((kiln_emulated_global()))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define NULL nullptr
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#include "kernel_table.h"

extern "C" __attribute__((visibility("default"))) KilnState kiln_emulated_state;
__attribute__((section(".data"))) KilnState kiln_emulated_state; // apart from shared memory
/// compiler.cpp appends it.
extern "C" __attribute__((section(".data"))) KilnKernel kiln_emulated_kernels[];

// Variables in shared memory are what remains that is not initialized, unless a source has
// variables in global memory.
#define KILN_EMULATED_HIDDEN extern "C" __attribute__((visibility("hidden")))
#define KILN_EMULATED_VISIBLE extern "C" __attribute__((visibility("default")))
#ifdef KILN_EMULATED_GLOBALS
KILN_EMULATED_VISIBLE char* const kiln_emulated_shared[2] = {nullptr, nullptr};
#else
KILN_EMULATED_HIDDEN char __bss_start[];
KILN_EMULATED_HIDDEN char _end[];
KILN_EMULATED_VISIBLE char* const kiln_emulated_shared[2] = {__bss_start, _end};
#endif

#define threadIdx kiln_emulated_state.thread
#define blockIdx kiln_emulated_state.block
#define blockDim kiln_emulated_state.blockExtent
#define gridDim kiln_emulated_state.gridExtent
constexpr int warpSize = 32;

template <unsigned... kIndices>
struct KilnIndices {};

/// How a function of these parameters is called with their addresses.
template <typename... Parameters>
struct KilnSignature {
    static constexpr unsigned kCount = sizeof...(Parameters);
    static constexpr unsigned long kSizes[] = {sizeof(Parameters)..., 0};

    template <typename T>
    static constexpr bool isPointer(T**) {
        return false;
    }
    template <typename T>
    static constexpr bool isPointer(T***) {
        return true;
    }
    static constexpr bool kPointers[] = {isPointer(static_cast<Parameters**>(nullptr))..., false};

    template <unsigned... kIndices>
    static void expand(void (*function)(Parameters...), void** parameters,
                       KilnIndices<kIndices...>) {
        function(*static_cast<Parameters*>(parameters[kIndices])...);
    }

    static void call(void (*function)(), void** parameters) {
        expand(reinterpret_cast<void (*)(Parameters...)>(function), parameters,
               KilnIndices<__integer_pack(kCount)...>());
    }
};

template <typename... Parameters>
constexpr KilnKernel kilnKernel(char const* name, void (*function)(Parameters...)) {
    using Signature = KilnSignature<Parameters...>;
    return {name,
            reinterpret_cast<void (*)()>(function),
            &Signature::call,
            Signature::kCount,
            Signature::kSizes,
            Signature::kPointers};
}

#include "bits.h"
#include "floats.h"
#include "threads.h"
#include "units.h"
#include "vectors.h"
