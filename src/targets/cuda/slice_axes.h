// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/ops/slice.h"
#include "targets/cuda/fast_divide.h"

namespace kiln::targets::cuda {

/// One axis of a slice, in the layout of kernels/slice.cuh.
struct SliceAxis {
    int64_t start = 0;
    int64_t stride = 1;
    int64_t extent = 1; ///< of the data
    int64_t step = 1;   ///< elements of the data from one coordinate to the next
    FastDivide size;    ///< of the output
};

/// A slice with known numbers as nested loops, merged where possible, innermost last; at least one.
struct SliceLoops {
    std::vector<SliceAxis> axes;
    int64_t offset = 0; ///< start of the slice in the data, in elements

    /// Whether rows are contiguous in the data.
    bool contiguousRows() const { return axes.back().stride == 1 && axes.back().step == 1; }
    /// Whether all coordinates, even those outside the data, fit 32 bits with a margin.
    bool narrow() const;
};

/// The axes of a slice, one per axis of the data. Start and stride are the op's, unless the axes
/// are an operand (`axesVary`).
std::vector<SliceAxis> axesOf(graph::Slice const& op, bool axesVary, Dims const& input,
                              Dims const& output);

/// Whether coordinates are narrow for all data of at most these extents, however axes are merged.
bool alwaysNarrow(graph::Slice const& op, Dims const& largest);

/// Merges axes where the mode allows it. An axis that is taken whole merges into the next outer
/// axis; a single coordinate inside the data becomes part of the offset.
SliceLoops mergeAxes(std::vector<SliceAxis> const& axes, nvinfer1::SampleMode mode);

} // namespace kiln::targets::cuda
