// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// to[i] = f(operands[i]...) with broadcasting: the loops of BroadcastArguments over a dense result.
// A thread computes the position of a vector of kWidth elements within a row (an innermost loop)
// and the offset of each operand. Operands of stride 1 along the row are read as vectors, those of
// stride 0 as one element. kSlots<Index> vectors are in flight per thread. Index is uint32_t, with
// multiplications instead of divisions, for results of less than 2^31 elements.
#pragma once

#include "fast_divide.cuh"
#include "flat.cuh"

/// Nested loops over a dense result, outermost first, and the operands' strides along them, in
/// elements. Strides along the innermost loop are 0 or 1. Same layout as in broadcast.h.
template <int kOperands>
struct BroadcastArguments {
    int64_t count; ///< elements of the result
    int32_t loops;
    FastDivide extents[kMaxRank]; ///< the innermost in vectors if `rows` is launched
    int64_t strides[kOperands][kMaxRank];
    int64_t spans[kOperands]; ///< elements from the first to the last of an operand
};

/// Vectors in flight per thread. A 64-bit division takes about a hundred instructions.
template <typename Index>
constexpr int kSlots = sizeof(Index) == 4 ? kVectors : 1;

/// Divides `rest` by the extent of a loop and returns the remainder.
__device__ inline uint32_t splitOff(uint32_t& rest, FastDivide const& extent) {
    auto const quotient = static_cast<uint32_t>(extent.quotient(static_cast<int32_t>(rest)));
    uint32_t const index = rest - quotient * static_cast<uint32_t>(extent.divisor);
    rest = quotient;
    return index;
}

__device__ inline uint64_t splitOff(uint64_t& rest, FastDivide const& extent) {
    uint64_t const quotient = rest / static_cast<uint64_t>(extent.divisor);
    uint64_t const index = rest - quotient * static_cast<uint64_t>(extent.divisor);
    rest = quotient;
    return index;
}

/// Operand kOperand of computeBroadcast().
template <int kOperand, typename T, typename Index, int kWidth>
struct RowOperand {
    T const* data;
    Index offset[kSlots<Index>]; ///< of the row
    T single[kSlots<Index>];     ///< for a row that repeats one element
    Held<T, kWidth> held[kSlots<Index>];

    template <typename Arguments>
    static __device__ bool repeats(Arguments const& arguments) {
        return arguments.strides[kOperand][arguments.loops - 1] == 0;
    }

    template <typename Arguments>
    __device__ bool beginsVector(Arguments const& arguments) const {
        return repeats(arguments) || ::beginsVector<kWidth>(data);
    }

    template <typename Arguments>
    __device__ void advance(Arguments const& arguments, int slot, int loop, Index index) {
        offset[slot] += index * static_cast<Index>(arguments.strides[kOperand][loop]);
    }

    /// Loads the elements from `column` of the row on.
    template <typename Arguments>
    __device__ void fetch(Arguments const& arguments, int slot, Index column) {
        if (repeats(arguments)) {
            single[slot] = data[offset[slot]];
        } else {
            held[slot].load(data + (offset[slot] + column));
        }
    }

    /// Call before using `held`; separate from fetch(), because it waits for the element.
    template <typename Arguments>
    __device__ void settle(Arguments const& arguments, int slot) {
        if (repeats(arguments)) {
            held[slot].fill(single[slot]);
        }
    }

    template <typename Arguments>
    __device__ T at(Arguments const& arguments, int slot, Index column) const {
        return data[offset[slot] + (repeats(arguments) ? 0 : column)];
    }
};

template <int kOperand, typename Index, int kWidth, typename T>
__device__ inline RowOperand<kOperand, T, Index, kWidth> rowOperand(T const* data) {
    RowOperand<kOperand, T, Index, kWidth> operand;
    operand.data = data;
    return operand;
}

template <typename Index, int kWidth, typename Arguments, typename To, typename F,
          typename... Operands>
__device__ inline void computeBroadcast(Arguments const& arguments, To* to, F f,
                                        Operands... operands) {
    bool const aligned = (beginsVector<kWidth>(to) && ... && operands.beginsVector(arguments));
    Index const vectors = static_cast<Index>(arguments.count / kWidth);
    Index const perBlock = static_cast<Index>(blockDim.x) * kSlots<Index>;
    int const last = arguments.loops - 1;
    for (Index first = blockIdx.x * perBlock + threadIdx.x; first < vectors;
         first += gridDim.x * perBlock) {
        Index rest[kSlots<Index>];
        Index column[kSlots<Index>];
#pragma unroll
        for (int slot = 0; slot < kSlots<Index>; ++slot) {
            rest[slot] = first + slot * blockDim.x;
            column[slot] = splitOff(rest[slot], arguments.extents[last]) * kWidth;
            ((operands.offset[slot] = 0), ...);
        }
        for (int loop = last - 1; loop > 0; --loop) {
#pragma unroll
            for (int slot = 0; slot < kSlots<Index>; ++slot) {
                Index const index = splitOff(rest[slot], arguments.extents[loop]);
                (operands.advance(arguments, slot, loop, index), ...);
            }
        }
#pragma unroll
        for (int slot = 0; slot < kSlots<Index>; ++slot) {
            (operands.advance(arguments, slot, 0, rest[slot]), ...);
            if (aligned && first + slot * blockDim.x < vectors) {
                (operands.fetch(arguments, slot, column[slot]), ...);
            }
        }
#pragma unroll
        for (int slot = 0; slot < kSlots<Index>; ++slot) {
            Index const vector = first + slot * blockDim.x;
            if (aligned && vector < vectors) {
                (operands.settle(arguments, slot), ...);
                Pack<To, kWidth> result;
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
                    result.at[i] = f(operands.held[slot].at(i)...);
                }
                reinterpret_cast<Pack<To, kWidth>*>(to)[vector] = result;
            } else if (vector < vectors) {
#pragma unroll 1
                for (int i = 0; i < kWidth; ++i) {
                    to[vector * kWidth + i] = f(operands.at(arguments, slot, column[slot] + i)...);
                }
            }
        }
    }
}
