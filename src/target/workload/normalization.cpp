// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/normalization.h"

namespace kiln::target {

namespace {

using Strides = Nest<3>::Offsets;

Strides scaled(Strides const& strides, int64_t factor) {
    return {strides[0] * factor, strides[1] * factor, strides[2] * factor};
}

} // namespace

NormalizationWorkload normalizationWorkload(graph::Normalization const& op,
                                            Workload const& workload) {
    NormalizationWorkload result;
    Dims const& dims = workload.inputs[0];
    auto const addMember = [&](int64_t extent, Strides const& strides) {
        result.members.add(extent, strides);
        result.values.add(extent, {strides[0]});
    };
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        Strides strides{};
        for (std::size_t i = 0; i < strides.size(); ++i) {
            bool const repeats = i > 0 && workload.inputs[i].d[axis] == 1;
            strides[i] =
                repeats ? 0 : denseStrides(workload.inputs[i])[static_cast<std::size_t>(axis)];
        }
        int64_t const extent = dims.d[axis];
        if (axis == 1 && op.groups > 1) {
            int64_t const channels = extent / op.groups;
            Strides ofGroup = scaled(strides, channels);
            Strides ofChannel = strides;
            for (std::size_t i = 1; i < strides.size(); ++i) {
                if (workload.inputs[i].d[axis] != extent) { // one for each group
                    ofGroup[i] = strides[i];
                    ofChannel[i] = 0;
                }
            }
            result.sets.add(op.groups, ofGroup);
            addMember(channels, ofChannel);
        } else if (op.normalizes(axis)) {
            addMember(extent, strides);
        } else {
            result.sets.add(extent, strides);
        }
    }
    return result;
}

} // namespace kiln::target
