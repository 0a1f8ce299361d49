// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/interleave.h"

namespace kiln::target {

InterleaveWorkload interleaveWorkload(graph::Interleave const& op, Workload const& workload) {
    Dims const& input = workload.inputs[0];
    Dims const& output = workload.outputs[0];
    int32_t const axes = op.stride.nbDims;
    auto const axisOf = [&](int32_t i) {
        return InterleaveWorkload::Axis{input.d[2 + i], output.d[2 + i], op.stride.d[i],
                                        op.before.d[i]};
    };
    InterleaveWorkload result;
    result.batch = input.d[0];
    result.groups = op.groups;
    result.maps = output.d[1] / op.groups;
    result.phases = op.phases();
    result.depth = axes > 2 ? axisOf(axes - 3) : InterleaveWorkload::Axis{};
    result.height = axes > 1 ? axisOf(axes - 2) : InterleaveWorkload::Axis{};
    result.width = axisOf(axes - 1);
    return result;
}

} // namespace kiln::target
