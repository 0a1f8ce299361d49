// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of softmax share: exponentials, sums of them relative to the largest element so
// far, and rows that are too long for registers.
#pragma once

#include "functions.cuh"
#include "rows.cuh"

/// exp(x - largest). Three operations suffice for short types, as powers of 2.
__device__ inline float exponential(float x, float largest) {
    if constexpr (sizeof(Element) < 4) {
        return powerOfTwo((x - largest) * kOneOverLogOfTwo);
    } else {
        return expf(x - largest);
    }
}

template <int kCount>
struct Floats {
    float at[kCount];
};

/// The largest element so far, and the sum of exp(x - largest). A NaN makes the sum NaN.
struct Running {
    float largest;
    float sum;

    /// The sum shrinks once for all of these.
    template <int kCount>
    __device__ void addAll(Floats<kCount> const& x) {
        float most = largest;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            most = fmaxf(most, x.at[i]); // drops a NaN
        }
        float const base = most == -infinity() ? 0.0F : most; // nothing but exp(-infinity) so far
        sum *= exponential(largest, base);
        largest = most;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            sum += exponential(x.at[i], base);
        }
    }
    __device__ void add(Running const& other) {
        float const both = larger(largest, other.largest);
        sum = scaled(both) + other.scaled(both);
        largest = both;
    }
    __device__ float scaled(float to) const {
        return largest == -infinity() ? sum : sum * exponential(largest, to);
    }
};

__device__ inline Running nothing() {
    return {-infinity(), 0.0F};
}

template <typename E>
struct PackType {
    typedef Pack<Element, kVector> Type;
};
template <typename E>
struct PackType<E const> {
    typedef Pack<Element, kVector> const Type;
};
template <typename E>
using PackOf = typename PackType<E>::Type;

/// A row that begins at any element: packs of 16 bytes, and single elements before and behind them.
/// There are no packs if source and target are aligned differently.
struct LongRow {
    int64_t extent;
    int64_t before;
    int64_t packs;

    __device__ LongRow(Element const* from, Element const* to, int64_t count) : extent(count) {
        auto const source = reinterpret_cast<uint64_t>(from);
        auto const target = reinterpret_cast<uint64_t>(to);
        bool const alike = ((source ^ target) & 15U) == 0;
        int64_t const gap = static_cast<int64_t>((16U - (source & 15U)) & 15U) /
                            static_cast<int64_t>(sizeof(Element));
        before = alike && gap < count ? gap : count;
        packs = (count - before) / kVector;
    }
    __device__ int64_t singles() const { return extent - packs * kVector; }
    /// Place of a single element.
    __device__ int64_t single(int64_t i) const { return i < before ? i : i + packs * kVector; }

    template <typename E>
    __device__ auto& packAt(E* row, int64_t pack) const {
        return reinterpret_cast<PackOf<E>*>(row + before)[pack];
    }
    /// Minus infinity if there is no such pack.
    __device__ void load(Element const* row, int64_t pack, float* values) const {
        Pack<Element, kVector> held{};
        bool const exists = pack < packs;
        if (exists) {
            held = *reinterpret_cast<Pack<Element, kVector> const*>(row + before + pack * kVector);
        }
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = exists ? toFloat(held.at[i]) : -infinity();
        }
    }
    __device__ void store(Element* row, int64_t pack, float const* values) const {
        Pack<Element, kVector> held;
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            held.at[i] = fromFloat<Element>(values[i]);
        }
        storeAtOnce(row + before + pack * kVector, held);
    }
};
