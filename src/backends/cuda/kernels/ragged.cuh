// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// to[i] = f(operands[i]...) with broadcasting, as in broadcast.cuh, over rows that are no whole
// vectors but longer than one. A vector of the result that lies in one row takes each operand from
// the two aligned words around it, wherever the row begins there. Those that lie in two rows, one
// in nearly every warp, are collected and computed element by element by all threads of the block,
// so that they hold nobody up.
#pragma once

#include "broadcast.cuh"
#include "words.cuh"

/// Vectors that a thread has in flight.
constexpr int kRaggedSlots = 2;

/// Operand kOperand of computeRagged().
template <int kOperand, typename T, int kWidth>
struct RaggedOperand {
    static constexpr bool kIsWord = sizeof(T) * kWidth == sizeof(Word);
    typedef Held<T, kWidth> Values;

    T const* data;
    uint32_t row[kRaggedSlots]; ///< offset of the row
    T single[kRaggedSlots];     ///< of a row that repeats one element
    HeldWord word[kRaggedSlots];
    Values narrow[kRaggedSlots]; ///< of vectors of fewer bytes than a word

    template <typename Arguments>
    static __device__ uint32_t stride(Arguments const& arguments, int loop) {
        return static_cast<uint32_t>(arguments.strides[kOperand][loop]);
    }
    template <typename Arguments>
    static __device__ bool repeats(Arguments const& arguments) {
        return stride(arguments, arguments.loops - 1) == 0;
    }

    /// Elements from `column` of the row. False if they can not be had as words.
    template <typename Arguments>
    __device__ bool fetch(Arguments const& arguments, int slot, uint32_t column) {
        if (repeats(arguments)) {
            single[slot] = data[row[slot]];
            return true;
        }
        T const* const from = data + (row[slot] + column);
        if constexpr (kIsWord) {
            return hold(Run<T>{from, data, data + arguments.spans[kOperand]}, word[slot]);
        } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                narrow[slot].put(i, from[i]);
            }
            return true;
        }
    }

    template <typename Arguments>
    __device__ Values values(Arguments const& arguments, int slot) const {
        if (repeats(arguments)) {
            Values same;
            same.fill(single[slot]);
            return same;
        }
        if constexpr (kIsWord) {
            Word const whole = joined(word[slot]);
            return *reinterpret_cast<Values const*>(&whole);
        } else {
            return narrow[slot];
        }
    }

    template <typename Arguments>
    __device__ T at(Arguments const& arguments, uint32_t position) const {
        uint32_t offset = 0;
#pragma unroll 1
        for (int loop = arguments.loops - 1; loop >= 0; --loop) {
            offset += splitOff(position, arguments.extents[loop]) * stride(arguments, loop);
        }
        return data[offset];
    }
};

template <int kOperand, int kWidth, typename T>
__device__ inline RaggedOperand<kOperand, T, kWidth> raggedOperand(T const* data) {
    RaggedOperand<kOperand, T, kWidth> operand;
    operand.data = inGlobalMemory(data);
    return operand;
}

template <int kWidth, typename To, typename F, typename... Values>
__device__ inline void computeVector(Pack<To, kWidth>& result, F f, Values const&... values) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        result.at[i] = f(values.at(i)...);
    }
}

/// Sets the rows of a vector that begins at `first`; returns its column.
template <typename Arguments, typename... Operands>
__device__ inline uint32_t placeRows(Arguments const& arguments, int slot, uint32_t first,
                                     Operands&... operands) {
    uint32_t const column = splitOff(first, arguments.extents[arguments.loops - 1]);
    ((operands.row[slot] = 0), ...);
#pragma unroll 1
    for (int loop = arguments.loops - 2; loop > 0; --loop) {
        uint32_t const index = splitOff(first, arguments.extents[loop]);
        ((operands.row[slot] += index * operands.stride(arguments, loop)), ...);
    }
    ((operands.row[slot] += first * operands.stride(arguments, 0)), ...);
    return column;
}

/// Blocks of kThreads, each for kThreads * kRaggedSlots vectors.
template <int kWidth, typename Arguments, typename To, typename F, typename... Operands>
__device__ inline void computeRagged(Arguments const& arguments, To* to, F f,
                                     Operands... operands) {
    __shared__ int mixedCount;
    __shared__ uint16_t mixed[kThreads * kRaggedSlots];
    if (threadIdx.x == 0) {
        mixedCount = 0;
    }
    __syncthreads();

    auto const count = static_cast<uint32_t>(arguments.count);
    auto const length = static_cast<uint32_t>(arguments.extents[arguments.loops - 1].divisor);
    uint32_t const tile = blockIdx.x * (kThreads * kRaggedSlots * kWidth);
    bool const aligned = beginsVector<kWidth>(to);
    bool whole[kRaggedSlots];
#pragma unroll
    for (int slot = 0; slot < kRaggedSlots; ++slot) {
        uint32_t const vector = slot * kThreads + threadIdx.x;
        uint32_t const first = tile + vector * kWidth;
        bool const begins = first < count;
        whole[slot] = false;
        if (begins) {
            uint32_t const column = placeRows(arguments, slot, first, operands...);
            bool const inRow = aligned && column + kWidth <= length;
            whole[slot] = inRow && (operands.fetch(arguments, slot, column) & ... & true);
        }
        if (begins && !whole[slot]) {
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
        if (whole[slot]) {
            uint32_t const first = tile + (slot * kThreads + threadIdx.x) * kWidth;
            Pack<To, kWidth> result;
            computeVector<kWidth>(result, f, operands.values(arguments, slot)...);
            *reinterpret_cast<Pack<To, kWidth>*>(to + first) = result;
        }
    }
}
