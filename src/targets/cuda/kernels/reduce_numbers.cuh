// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The arguments, numbers and operations of reduce.cuh, which has the macros.
#pragma once

#include "threads.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_NUMBER Number;

/// Nested loops, outermost first.
struct Loops {
    int32_t rank;
    int64_t extent[4];
    int64_t stride[4];
};

struct Arguments {
    int64_t results;
    int64_t inner; ///< columns: extent of the innermost axis; rows: elements of one run
    int64_t count; ///< elements combined per result
    int32_t lanes; ///< columns: threads per column; rows: threads per result; a power of two
    int32_t partials; ///< blocks that share a result
    Loops kept;    ///< without the innermost axis, if that is kept
    Loops combined;
    int64_t combinedCount; ///< iterations of `combined`
};

enum Operation { kSum, kProduct, kMaximum, kMinimum, kMean };
constexpr int kOperation = KILN_OPERATION;
constexpr int kVector = 16 / sizeof(Element);
constexpr int kUnroll = 4; ///< packs in flight

__device__ inline int64_t offsetOf(Loops const& loops, int64_t index) {
    int64_t offset = 0;
    for (int axis = loops.rank - 1; axis > 0; --axis) {
        int64_t const next = quotient(index, loops.extent[axis]);
        offset += (index - next * loops.extent[axis]) * loops.stride[axis];
        index = next;
    }
    return loops.rank == 0 ? 0 : offset + index * loops.stride[0];
}

template <typename T>
struct NumberOf { // half_t, bfloat16_t
    static __device__ Number load(T value) { return static_cast<Number>(toFloat(value)); }
    static __device__ T store(Number value) { return fromFloat<T>(static_cast<float>(value)); }
};
template <typename T>
struct PlainNumber {
    static __device__ Number load(T value) { return static_cast<Number>(value); }
    static __device__ T store(Number value) { return static_cast<T>(value); }
};
template <>
struct NumberOf<float> : PlainNumber<float> {};
template <>
struct NumberOf<int32_t> : PlainNumber<int32_t> {};
template <>
struct NumberOf<int64_t> : PlainNumber<int64_t> {};

__device__ inline double wrappingSum(double a, double b) { return a + b; }
__device__ inline float wrappingSum(float a, float b) { return a + b; }
__device__ inline int32_t wrappingSum(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
__device__ inline int64_t wrappingSum(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
__device__ inline double wrappingProduct(double a, double b) { return a * b; }
__device__ inline float wrappingProduct(float a, float b) { return a * b; }
__device__ inline int32_t wrappingProduct(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
__device__ inline int64_t wrappingProduct(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

__device__ inline Number combine(Number a, Number b) {
    if constexpr (kOperation == kProduct) {
        return wrappingProduct(a, b);
    } else if constexpr (kOperation == kMaximum) {
        return a != a || a > b ? a : b;
    } else if constexpr (kOperation == kMinimum) {
        return a != a || a < b ? a : b;
    } else {
        return wrappingSum(a, b);
    }
}

/// The neutral element of the operation.
__device__ inline Number neutral() {
    if constexpr (kOperation == kProduct) {
        return Number(1);
    } else if constexpr (kOperation == kMaximum) {
        return KILN_LOWEST;
    } else if constexpr (kOperation == kMinimum) {
        return KILN_HIGHEST;
    } else {
        return Number(0);
    }
}

/// The last step. The mean of no elements is 0 for integers and NaN for floats.
__device__ inline Element finished(Number value, int64_t count) {
    if constexpr (kOperation == kMean) {
        constexpr bool kInteger = Number(1) / Number(2) == Number(0);
        if constexpr (kInteger) {
            value = static_cast<Number>(count == 0 ? Number(0) : value / count);
        } else {
            value /= static_cast<Number>(count);
        }
    }
    return NumberOf<Element>::store(value);
}

/// The elements of one load: a pack of 16 bytes, or kWidth single elements.
template <int kWidth, bool kWide>
struct Loaded {
    Pack<Element, kWidth> pack;

    __device__ static Loaded of(Element const* from) {
        Loaded result;
        if constexpr (kWide) {
            result.pack = *reinterpret_cast<Pack<Element, kWidth> const*>(from);
        } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                result.pack.at[i] = from[i];
            }
        }
        return result;
    }
    __device__ Number at(int i) const { return NumberOf<Element>::load(pack.at[i]); }
};

__device__ inline Number combineLanes(Number value, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) {
        value = combine(value, __shfl_xor_sync(kAllLanes, value, step));
    }
    return value;
}
