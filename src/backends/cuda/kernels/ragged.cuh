// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// to[i] = f(operands[i]...) with broadcasting, as in broadcast.cuh, over rows that are no whole
// vectors but as long as one: a vector of the result then lies in one row or in two. Operands as
// dense as the result are read as vectors, others element by element, which caches serve.
#pragma once

#include "broadcast.cuh"

/// Vectors that a thread has in flight.
constexpr int kRaggedSlots = 2;

/// Operand kOperand of computeRagged().
template <int kOperand, typename T, int kWidth>
struct RaggedOperand {
    T const* data;
    uint32_t row[kRaggedSlots]; ///< offset of the first element's row, without the column
    uint32_t next[kRaggedSlots];
    Held<T, kWidth> held[kRaggedSlots];

    template <typename Arguments>
    __device__ void advance(Arguments const& arguments, int slot, int loop, uint32_t index,
                            uint32_t indexOfNext) {
        auto const stride = static_cast<uint32_t>(arguments.strides[kOperand][loop]);
        row[slot] += index * stride;
        next[slot] += indexOfNext * stride;
    }

    /// `first` of all elements, `column` of its row; i of the vector.
    template <typename Arguments>
    __device__ T at(Arguments const& arguments, int slot, uint32_t first, uint32_t column,
                    int i) const {
        if (arguments.dense[kOperand]) {
            return data[first + i];
        }
        int const last = arguments.loops - 1;
        auto const stride = static_cast<uint32_t>(arguments.strides[kOperand][last]);
        auto const length = static_cast<uint32_t>(arguments.extents[last].divisor);
        uint32_t const within = column + i;
        return data[within < length ? row[slot] + within * stride
                                    : next[slot] + (within - length) * stride];
    }

    template <typename Arguments>
    __device__ void fetch(Arguments const& arguments, int slot, uint32_t first, uint32_t column) {
        if (arguments.dense[kOperand] && beginsVector<kWidth>(data)) {
            held[slot].load(data + first);
        } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                held[slot].put(i, at(arguments, slot, first, column, i));
            }
        }
    }
};

template <int kOperand, int kWidth, typename T>
__device__ inline RaggedOperand<kOperand, T, kWidth> raggedOperand(T const* data) {
    RaggedOperand<kOperand, T, kWidth> operand;
    operand.data = data;
    return operand;
}

template <int kWidth, typename Arguments, typename To, typename F, typename... Operands>
__device__ inline void computeRagged(Arguments const& arguments, To* to, F f,
                                     Operands... operands) {
    auto const count = static_cast<uint32_t>(arguments.count);
    int const last = arguments.loops - 1;
    uint32_t const start = blockIdx.x * blockDim.x * kRaggedSlots + threadIdx.x;
    uint32_t column[kRaggedSlots];
    uint32_t row[kRaggedSlots];
    uint32_t next[kRaggedSlots];
#pragma unroll
    for (int slot = 0; slot < kRaggedSlots; ++slot) {
        row[slot] = (start + slot * blockDim.x) * kWidth;
        column[slot] = splitOff(row[slot], arguments.extents[last]);
        next[slot] = row[slot] + 1;
        ((operands.row[slot] = operands.next[slot] = 0), ...);
    }
    for (int loop = last - 1; loop >= 0; --loop) {
#pragma unroll
        for (int slot = 0; slot < kRaggedSlots; ++slot) {
            uint32_t const index = splitOff(row[slot], arguments.extents[loop]);
            uint32_t const indexOfNext = splitOff(next[slot], arguments.extents[loop]);
            (operands.advance(arguments, slot, loop, index, indexOfNext), ...);
        }
    }
#pragma unroll
    for (int slot = 0; slot < kRaggedSlots; ++slot) {
        uint32_t const first = (start + slot * blockDim.x) * kWidth;
        if (first < count && count - first >= kWidth) {
            (operands.fetch(arguments, slot, first, column[slot]), ...);
        }
    }
#pragma unroll
    for (int slot = 0; slot < kRaggedSlots; ++slot) {
        uint32_t const first = (start + slot * blockDim.x) * kWidth;
        if (first < count && count - first >= kWidth && beginsVector<kWidth>(to)) {
            Pack<To, kWidth> result;
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                result.at[i] = f(operands.held[slot].at(i)...);
            }
            *reinterpret_cast<Pack<To, kWidth>*>(to + first) = result;
        } else if (first < count) {
#pragma unroll 1
            for (int i = 0; i < kWidth && first + i < count; ++i) {
                to[first + i] = f(operands.at(arguments, slot, first, column[slot], i)...);
            }
        }
    }
}
