// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/ops/grid_sample.h"
#include "target/candidate.h"
#include "target/workload/workload.h"

namespace kiln::target {

/// A GridSample at known shapes, with strides in elements in the order of the tensor's axes.
struct GridSampleWorkload {
    int64_t batch = 0;
    int64_t channels = 0;
    int64_t size[2] = {};   ///< height and width of the images
    int64_t output[2] = {}; ///< of the output
    int64_t image[4] = {};  ///< strides
    int64_t grid[4] = {};
    int64_t result[4] = {};

    /// Whether all channels of a position are neighbours in images and output.
    bool channelsLast() const noexcept { return image[1] == 1 && result[1] == 1; }
};

/// Throws kInvalidArgument if there are not as many grids as images, or if a grid has not two
/// coordinates.
GridSampleWorkload gridSampleWorkload(Workload const& workload);

/// "expected ..., got ..." unless all formats are dense.
std::string refuseGridSample(NodeSpec const& node);

} // namespace kiln::target
