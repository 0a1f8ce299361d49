// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// to[i] = f(operands[i]...) with broadcasting, as in broadcast.cuh, for rows that are longer than a
// vector but not a multiple of one. One operand is as dense as the result: its vectors are loaded
// early, those of the other operands, which caches serve, only when they are used. The latter start
// at any alignment; narrow elements are loaded as the aligned 4-byte words around them. Result
// vectors that span two rows, about one per warp, are collected and computed element by element by
// all threads of the block, so that no thread waits for another.
#pragma once

#include "broadcast.cuh"
#include "words.cuh"

/// Vectors in flight per thread; must equal those of computeFlat(), which launchFlat() assumes.
constexpr int kRaggedSlots = kVectors;

/// The operand of computeRagged() that has the result's strides.
template <typename T, int kWidth>
struct DenseOperand {
    T const* data;
    Held<T, kWidth> held[kRaggedSlots];

    __device__ bool beginsVector() const { return ::beginsVector<kWidth>(data); }
    template <typename Arguments>
    __device__ void prepare(Arguments const&) {}
    template <typename Arguments>
    __device__ void advance(Arguments const&, int, int, uint32_t) {}
    __device__ bool fits(int) const { return true; }
    __device__ void fetch(int slot, uint32_t first) { held[slot].load(data + first); }
    template <typename Arguments>
    __device__ Held<T, kWidth> values(Arguments const&, int slot) const {
        return held[slot];
    }
    template <typename Arguments>
    __device__ T at(Arguments const&, uint32_t position) const {
        return data[position];
    }
};

/// Any other operand, with the number kOperand.
template <int kOperand, typename T, int kWidth>
struct RaggedOperand {
    typedef Held<T, kWidth> Values;
    static constexpr int kWords = static_cast<int>(sizeof(T)) * kWidth / 4;
    static constexpr bool kByWords = sizeof(T) < 4 && kWords > 0;

    T const* data;
    uint32_t lowest; ///< lowest offset of a vector whose words are all inside the operand
    uint32_t range;  ///< number of such offsets
    uint32_t offset[kRaggedSlots]; ///< of the vector's first element

    template <typename Arguments>
    static __device__ uint32_t stride(Arguments const& arguments, int loop) {
        return static_cast<uint32_t>(arguments.strides[kOperand][loop]);
    }
    template <typename Arguments>
    static __device__ bool repeats(Arguments const& arguments) {
        return stride(arguments, arguments.loops - 1) == 0;
    }
    /// Bytes between an aligned word and the start of the operand.
    __device__ uint32_t lead() const {
        return static_cast<uint32_t>(reinterpret_cast<uint64_t>(data)) & 3U;
    }
    __device__ bool beginsVector() const { return true; }

    /// Call once, before all other functions.
    template <typename Arguments>
    __device__ void prepare(Arguments const& arguments) {
        lowest = 0;
        range = 0xffffffffU;
        if (kByWords && !repeats(arguments)) {
            constexpr uint32_t kPerWord = 4 / sizeof(T);
            lowest = lead() == 0 ? 0 : kPerWord;
            uint32_t const reach = lowest + kWidth + kPerWord - 1;
            auto const span = static_cast<uint32_t>(arguments.spans[kOperand]);
            range = span < reach ? 0 : span - reach + 1;
        }
    }
    template <typename Arguments>
    __device__ void advance(Arguments const& arguments, int slot, int loop, uint32_t index) {
        uint32_t const before = loop + 1 == arguments.loops ? 0 : offset[slot];
        offset[slot] = before + index * stride(arguments, loop);
    }
    __device__ bool fits(int slot) const { return offset[slot] - lowest < range; }
    __device__ void fetch(int, uint32_t) {}

    template <typename Arguments>
    __device__ Values values(Arguments const& arguments, int slot) const {
        Values values;
        if (repeats(arguments)) {
            values.fill(data[offset[slot]]);
        } else if constexpr (kByWords) {
            auto const* const from = reinterpret_cast<uint8_t const*>(data + offset[slot]);
            uint32_t const skip = static_cast<uint32_t>(reinterpret_cast<uint64_t>(from)) & 3U;
            auto const* const words = reinterpret_cast<uint32_t const*>(from - skip);
            uint32_t word[kWords + 1];
#pragma unroll
            for (int i = 0; i < kWords; ++i) {
                word[i] = words[i];
            }
            word[kWords] = skip != 0 ? words[kWords] : 0;
            Pack<uint32_t, kWords> shifted;
#pragma unroll
            for (int i = 0; i < kWords; ++i) {
                shifted.at[i] = shiftedPair(word[i], word[i + 1], skip * 8U);
            }
            values = *reinterpret_cast<Values const*>(&shifted);
        } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                values.put(i, data[offset[slot] + i]);
            }
        }
        return values;
    }

    template <typename Arguments>
    __device__ T at(Arguments const& arguments, uint32_t position) const {
        uint32_t from = 0;
#pragma unroll 1
        for (int loop = arguments.loops - 1; loop >= 0; --loop) {
            from += splitOff(position, arguments.extents[loop]) * stride(arguments, loop);
        }
        return data[from];
    }
};

/// Operand kOperand if operand kDense is the dense one.
template <int kOperand, int kDense, int kWidth, typename T>
__device__ inline auto raggedOperand(T const* data) {
    if constexpr (kOperand == kDense) {
        DenseOperand<T, kWidth> operand;
        operand.data = inGlobalMemory(data);
        return operand;
    } else {
        RaggedOperand<kOperand, T, kWidth> operand;
        operand.data = inGlobalMemory(data);
        return operand;
    }
}

template <int kWidth, typename To, typename F, typename... Values>
__device__ inline void computeVector(Pack<To, kWidth>& result, F f, Values const&... values) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        result.at[i] = f(values.at(i)...);
    }
}

/// Sets the offsets of a vector that begins at `first`; returns its column.
template <typename Arguments, typename... Operands>
__device__ inline uint32_t placeVector(Arguments const& arguments, int slot, uint32_t first,
                                       Operands&... operands) {
    int const last = arguments.loops - 1;
    uint32_t const column = splitOff(first, arguments.extents[last]);
    (operands.advance(arguments, slot, last, column), ...);
#pragma unroll 1
    for (int loop = last - 1; loop > 0; --loop) {
        uint32_t const index = splitOff(first, arguments.extents[loop]);
        (operands.advance(arguments, slot, loop, index), ...);
    }
    (operands.advance(arguments, slot, 0, first), ...);
    return column;
}

/// Launch with blocks of kThreads; each block computes kThreads * kRaggedSlots vectors.
template <int kWidth, typename Arguments, typename To, typename F, typename... Operands>
__device__ inline void computeRagged(Arguments const& arguments, To* to, F f,
                                     Operands... operands) {
    __shared__ int mixedCount;
    __shared__ uint16_t mixed[kThreads * kRaggedSlots];
    if (threadIdx.x == 0) {
        mixedCount = 0;
    }
    (operands.prepare(arguments), ...);
    __syncthreads();

    auto const count = static_cast<uint32_t>(arguments.count);
    auto const length = static_cast<uint32_t>(arguments.extents[arguments.loops - 1].divisor);
    uint32_t const tile = blockIdx.x * (kThreads * kRaggedSlots * kWidth);
    bool const aligned = (beginsVector<kWidth>(to) && ... && operands.beginsVector());
    uint32_t const columns = aligned ? length - kWidth + 1 : 0; // where a whole vector can begin
    uint32_t whole = 0;                                         // bit i: slot i
#pragma unroll
    for (int slot = 0; slot < kRaggedSlots; ++slot) {
        uint32_t const vector = slot * kThreads + threadIdx.x;
        uint32_t const first = tile + vector * kWidth;
        uint32_t const column = placeVector(arguments, slot, first, operands...);
        bool const begins = first < count;
        if ((operands.fits(slot) & ... & (begins & (column < columns)))) {
            whole |= 1U << slot;
            (operands.fetch(slot, first), ...);
        } else if (begins) {
            mixed[atomicAdd(&mixedCount, 1)] = static_cast<uint16_t>(vector);
        }
    }
    __syncthreads();

    for (int i = static_cast<int>(threadIdx.x); i < mixedCount * kWidth; i += kThreads) {
        uint32_t const position = tile + mixed[i / kWidth] * kWidth + i % kWidth;
        if (position < count) {
            to[position] = f(operands.at(arguments, position)...);
        }
    }
#pragma unroll
    for (int slot = 0; slot < kRaggedSlots; ++slot) {
        if ((whole >> slot & 1U) != 0) {
            uint32_t const first = tile + (slot * kThreads + threadIdx.x) * kWidth;
            Pack<To, kWidth> result;
            computeVector<kWidth>(result, f, operands.values(arguments, slot)...);
            *reinterpret_cast<Pack<To, kWidth>*>(to + first) = result;
        }
    }
}
