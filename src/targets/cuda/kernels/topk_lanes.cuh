// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of top-k share: the lanes of [outer, extent, inner]. Macros: topk.cuh.
#pragma once

#include "ranking.cuh"

struct Arguments {
    int64_t lanes; ///< outer * inner
    int64_t extent;
    int64_t inner;
    int64_t k;
    int64_t padded; ///< the power of two from k on
    int64_t parts;
    int64_t count;  ///< entries of a lane that runs are made of (topk_runs.cuh)
    int64_t direct; ///< 1: they are all elements, 0: the best k
    uint64_t flip; ///< all bits are set for the smallest elements
};

/// A part of a lane.
struct Lane {
    T const* from; ///< the lane's first element
    int64_t inner;
    int64_t first;
    T flip;

    __device__ T value(int64_t index) const { return from[index * inner]; }
    __device__ Entry at(int64_t i) const {
        return entryOf(keyOf(value(first + i), flip), first + i);
    }
};

__device__ inline Lane laneOf(T const* from, int64_t lane, int64_t first,
                              Arguments const& arguments) {
    int64_t const outer = quotient(lane, arguments.inner);
    return {from + outer * arguments.extent * arguments.inner + (lane - outer * arguments.inner),
            arguments.inner, first, static_cast<T>(arguments.flip)};
}

__device__ inline void writeResult(Lane const& lane, int64_t number, int64_t i, Entry const& entry,
                                   T* values, INDEX* indices, Arguments const& arguments) {
    int64_t const outer = quotient(number, arguments.inner);
    int64_t const column = number - outer * arguments.inner;
    int64_t const at = (outer * arguments.k + i) * arguments.inner + column;
    int64_t const index = indexOf(entry);
    values[at] = lane.value(index);
    indices[at] = static_cast<INDEX>(index);
}
