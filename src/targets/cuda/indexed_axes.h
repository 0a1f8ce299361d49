// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of kernels/indexed_axes.cuh.
#pragma once

#include <algorithm>

#include "targets/cuda/permutation.h"

namespace kiln::targets::cuda {

/// Elements of the axes [begin, end).
inline int64_t extentOf(Dims const& dims, int32_t begin, int32_t end) {
    int64_t result = 1;
    for (int32_t i = begin; i < end; ++i) {
        result *= dims.d[i];
    }
    return result;
}

/// Elements that one step along an axis advances.
inline int64_t strideOf(Dims const& dims, int32_t axis) {
    return extentOf(dims, axis + 1, dims.nbDims);
}

/// Where indices point in some data; the layout of the kernels' struct.
struct IndexedAxes {
    int32_t tuple = 1;
    int32_t axisCount = 0;
    int64_t extents[Dims::MAX_DIMS] = {};
    int64_t steps[Dims::MAX_DIMS] = {};
    MovedAxis axes[Dims::MAX_DIMS];

    /// Each element of the indices selects along one axis.
    void setElements(Dims const& data, Dims const& indices, int32_t axis) {
        Permutation loops;
        for (int32_t i = indices.nbDims - 1; i >= 0; --i) {
            loops.add(indices.d[i], i == axis ? 0 : strideOf(data, i), strideOf(indices, i));
        }
        loops.simplify();
        axisCount = static_cast<int32_t>(loops.axes.size());
        std::copy(loops.axes.begin(), loops.axes.end(), axes);
        setTuples(data, axis, 1);
    }

    /// A tuple of `count` indices selects from the axes from `first` on.
    void setTuples(Dims const& data, int32_t first, int32_t count) {
        tuple = count;
        for (int32_t i = 0; i < count; ++i) {
            extents[i] = data.d[first + i];
            steps[i] = strideOf(data, first + i);
        }
    }
};

} // namespace kiln::targets::cuda
