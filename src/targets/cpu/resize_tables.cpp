// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/resize_tables.h"

namespace kiln::targets::cpu {
namespace {

ResizeAxis tabulated(graph::Resize const& op, target::ResizeWorkload::Axis const& axis) {
    ResizeAxis result{axis.input, axis.output, axis.taps, axis.keeps, false, {}, {}};
    if (axis.keeps) {
        return result;
    }
    result.at.resize(static_cast<std::size_t>(axis.output * axis.taps));
    result.weight.resize(result.at.size());
    result.doubles = axis.taps == 1 && axis.output == 2 * axis.input;
    for (int64_t position = 0; position < axis.output; ++position) {
        target::ResizeTaps const taps = target::resizeTaps(op, axis, position);
        for (int64_t tap = 0; tap < axis.taps; ++tap) {
            auto const place = static_cast<std::size_t>(tap * axis.output + position);
            result.at[place] = taps.at[tap];
            result.weight[place] = taps.weight[tap];
        }
        result.doubles = result.doubles && taps.at[0] == position / 2;
    }
    return result;
}

} // namespace

int64_t ResizeState::outputs() const noexcept {
    int64_t count = outer * inner;
    for (ResizeAxis const& axis : axes) {
        count *= axis.output;
    }
    return count;
}

int64_t ResizeState::taps() const noexcept {
    int64_t count = 1;
    for (ResizeAxis const& axis : axes) {
        count *= axis.taps;
    }
    return count;
}

ResizeState resizeState(graph::Resize const& op, target::Workload const& workload,
                        std::size_t least) {
    target::ResizeWorkload const p = target::resizeWorkload(
        op, workload.inputs[0], workload.outputs[0], workload.inputTypes[0].format);
    ResizeState state;
    state.outer = p.outer;
    state.inner = p.inner;
    state.bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
    for (std::size_t i = p.axes.size(); i < least; ++i) {
        state.axes.push_back({});
    }
    for (target::ResizeWorkload::Axis const& axis : p.axes) {
        state.axes.push_back(tabulated(op, axis));
    }
    return state;
}

} // namespace kiln::targets::cpu
