// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/ops/resize.h"
#include "target/candidate.h"
#include "target/workload/workload.h"

namespace kiln::target {

/// A Resize at known shapes, with the axes in memory order: [outer, axes..., inner]. The first and
/// the last of the axes change; neighbours that keep their extents are one axis. No axis changes:
/// `axes` is empty.
struct ResizeWorkload {
    struct Axis {
        int64_t input = 1;
        int64_t output = 1;
        float scale = 0.0F; ///< 0: the quotient of the extents
        int32_t taps = 1;   ///< samples that one output reads
        bool keeps = false; ///< each output is the input at the same place
    };
    int64_t outer = 1;
    int64_t inner = 1;
    std::vector<Axis> axes;
};

ResizeWorkload resizeWorkload(graph::Resize const& op, Dims const& input, Dims const& output,
                              TensorFormat format);

/// The samples of one output: `count` of them, at positions inside of the input.
struct ResizeTaps {
    int32_t count = 1;
    int64_t at[4] = {};
    float weight[4] = {1.0F, 0.0F, 0.0F, 0.0F};
};

/// The samples that output `position` of an axis reads.
ResizeTaps resizeTaps(graph::Resize const& op, ResizeWorkload::Axis const& axis, int64_t position);

} // namespace kiln::target
