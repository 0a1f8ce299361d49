// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where indices point: what gather and scatter share. A tuple of indices selects from some axes of
// the data; or each element has an index of its own along one axis, and keeps its other
// coordinates. Negative indices count from the end.
#pragma once

#include "fast_divide.cuh"

/// An axis of the indices.
struct IndexedAxis {
    FastDivide extent;
    int64_t from; ///< stride in the data, in elements; 0 for the axis that is selected from
    int64_t to;
    int64_t unused;
};

/// Same layout as in targets/cuda/indexed_axes.h.
struct IndexedAxes {
    int32_t tuple;             ///< indices of a tuple
    int32_t axisCount;         ///< if each element has an index: loops over the indices
    int64_t extents[kMaxRank]; ///< of the axes that an index or a tuple selects from
    int64_t steps[kMaxRank];
    IndexedAxis axes[kMaxRank];

    /// Adds the offset of index `i` of a tuple; false if the index is outside of the data.
    template <typename Index>
    __device__ bool take(int64_t given, int i, Index& offset) const {
        int64_t const extent = extents[i];
        int64_t const index = given < 0 ? given + extent : given;
        offset += static_cast<Index>(index) * static_cast<Index>(steps[i]);
        return index >= 0 && index < extent;
    }

    /// The same for those of the tuple at `first`, from number `begin` on.
    template <typename Index, typename Given>
    __device__ bool follow(Given const* indices, Index first, int begin, Index& offset) const {
#pragma unroll 1
        for (int i = begin; i < tuple; ++i) {
            if (!take<Index>(indices[first + i], i, offset)) {
                return false;
            }
        }
        return true;
    }

    /// Adds what the element at a position has in common with its index: all other coordinates.
    template <typename Index>
    __device__ void keepCoordinates(Index position, Index& offset) const {
#pragma unroll 1
        for (int i = axisCount - 1; i >= 0; --i) {
            IndexedAxis const& axis = axes[i];
            Index const next = axis.extent.quotient(position);
            offset += (position - next * static_cast<Index>(axis.extent.divisor)) *
                      static_cast<Index>(axis.from);
            position = next;
        }
    }
};
