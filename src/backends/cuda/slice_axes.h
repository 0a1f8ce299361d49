// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/cuda/fast_divide.h"
#include "graph/ops/slice.h"

namespace kiln::backends::cuda {

/// One axis of a slice, as kernels/slice.cuh takes it.
struct SliceAxis {
    int64_t start = 0;
    int64_t stride = 1;
    int64_t extent = 1; ///< of the data
    int64_t step = 1;   ///< elements of the data from one coordinate to the next
    FastDivide size;    ///< of the output
};

/// A slice with known numbers as few nested loops, the innermost last; there is always one.
struct SliceLoops {
    std::vector<SliceAxis> axes;
    int64_t offset = 0; ///< elements of the data before all of them

    /// Whether rows are pieces of the data.
    bool contiguousRows() const { return axes.back().stride == 1 && axes.back().step == 1; }
    /// Whether all coordinates, also those outside of the data, fit 32 bits with room to spare.
    bool narrow() const;
};

/// The axes of a slice, one for each of the data, its listed numbers set where they are constants.
std::vector<SliceAxis> axesOf(graph::Slice const& op, Dims const& input, Dims const& output);

/// Whether coordinates are narrow for all data of at most these extents, however axes merge.
bool alwaysNarrow(graph::Slice const& op, Dims const& largest);

/// Merges axes where the mode allows it: an axis that is taken whole goes into the one outside of
/// it, one of which a single coordinate is taken into the offset.
SliceLoops mergeAxes(std::vector<SliceAxis> const& axes, nvinfer1::SampleMode mode);

} // namespace kiln::backends::cuda
