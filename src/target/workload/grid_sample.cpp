// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/grid_sample.h"

#include <algorithm>

#include "base/tensor_layout.h"
#include "target/workload/map_formats.h"

namespace kiln::target {

GridSampleWorkload gridSampleWorkload(Workload const& workload) {
    Dims const& image = workload.inputs[0];
    Dims const& grid = workload.inputs[1];
    Dims const& output = workload.outputs[0];
    if (grid.d[0] != image.d[0] || grid.d[3] != 2) {
        fail(ErrorKind::kInvalidArgument,
             "[shape] GridSample: expected a grid of two coordinates for each of {} images, got "
             "{}. Pass another one.",
             image.d[0], toText(grid));
    }
    GridSampleWorkload result;
    result.batch = image.d[0];
    result.channels = image.d[1];
    std::copy_n(image.d + 2, 2, result.size);
    std::copy_n(output.d + 2, 2, result.output);
    std::copy_n(stridesOf(workload.inputTypes[0].format, image).d, 4, result.image);
    std::copy_n(stridesOf(workload.inputTypes[1].format, grid).d, 4, result.grid);
    std::copy_n(stridesOf(workload.outputTypes[0].format, output).d, 4, result.result);
    return result;
}

std::string refuseGridSample(NodeSpec const& node) {
    std::string const reason = refuseUnlessFloat(node);
    if (!reason.empty()) {
        return reason;
    }
    OperandType const& grid = node.inputs[1].type;
    if (!isFloating(grid.type)) {
        return fmt::format("expected a grid of float32, float16 or bfloat16, got {}",
                           nameOf(grid.type));
    }
    std::string const other = refuseMapFormats(grid, grid, 4);
    return other.empty() ? refuseMapFormats(node.inputs[0].type, node.outputs[0].type, 4) : other;
}

} // namespace kiln::target
