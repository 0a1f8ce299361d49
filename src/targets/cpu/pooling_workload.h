// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "graph/ops/pooling.h"
#include "targets/cpu/vector_functions.h"

namespace kiln::targets::cpu {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

/// One spatial axis.
struct PoolAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t size = 1;
    int64_t stride = 1;
    int64_t before = 0; ///< padding
    int64_t after = 0;
};

/// The positions of one window: inside the input, and inside the padded input.
struct PoolRange {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t padded = 0; ///< number of positions, padding included
};

PoolRange rangeOf(PoolAxis const& axis, int64_t position);

/// A workload, in whichever order.
struct PoolingState {
    int64_t batch = 0;
    int64_t channels = 0;
    PoolAxis depth; ///< extent 1 if there are fewer than three spatial axes
    PoolAxis height;
    PoolAxis width;
    float ofLargest = 1.0F; ///< weights of the two terms
    float ofMean = 0.0F;
    bool countsPadding = false;
    std::vector<float> inverses; ///< for each position along the width, 1 / elements that count

    bool needsLargest() const { return ofLargest != 0.0F; }
    bool needsMean() const { return ofMean != 0.0F; }
    int64_t inputs() const { return depth.input * height.input * width.input; }
    /// Rows of one output plane.
    int64_t rows() const { return depth.output * height.output; }
    int64_t windowSize() const { return depth.size * height.size * width.size; }
};

/// At the extents of the layer, whatever their order in memory.
PoolingState poolingOf(graph::Pooling const& op, Dims const& input, Dims const& output);

/// The ranges of an output row along depth and height.
struct RowWindow {
    PoolRange z;
    PoolRange y;
};

RowWindow rowWindow(PoolingState const& state, int64_t row);

/// 1 / number of positions along depth and height that count in a mean; 0 if there are none.
float inverseOf(PoolingState const& state, RowWindow const& rows);

/// largest[i] = the result for the largest elements and the means of windows. A term with weight 0
/// is not there, so that it does not turn an infinity into NaN.
void blend(PoolingState const& state, float* largest, float const* means, int64_t count);

/// x[i] *= factor
void scale(float* x, float factor, int64_t count);
/// totals[i] = f(totals[i], x[i])
void combineInto(CombineFunction function, float const* x, float* totals, int64_t count);

} // namespace kiln::targets::cpu
