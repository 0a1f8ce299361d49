// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of resize have in common.
#pragma once

#include <cmath>
#include <string>

#include "target/workload/map_formats.h"
#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/resize_tables.h"

namespace kiln::targets::cpu {

constexpr std::size_t kResizeAxes = 3; ///< of the fast kernels

/// Rounds and clamps for integers.
template <typename T>
T resized(float value) noexcept {
    if constexpr (std::is_integral_v<T>) {
        return truncateTo<T>(std::nearbyint(value));
    } else {
        return store<T>(value);
    }
}

/// Calls f with a value of the type, for modes that compute.
template <typename F>
target::KernelFunction dispatchComputed(DataType type, F&& f) {
    switch (type) {
    case DataType::kINT8: return f(int8_t{});
    case DataType::kUINT8: return f(uint8_t{});
    case DataType::kINT32: return f(int32_t{});
    case DataType::kINT64: return f(int64_t{});
    default: return dispatchFloat(type, "resize", f);
    }
}

inline std::string refuseResize(NodeSpec const& node) {
    std::string const reason = refuseSubByte(node, 0);
    return reason.empty() ? target::refuseMapFormats(node.inputs[0].type, node.outputs[0].type,
                                                     node.inputs[0].opt.nbDims)
                          : reason;
}

/// Refuses more axes than the fast kernels have, at the extremes of the extents.
inline std::string refuseManyAxes(graph::Resize const& op, NodeSpec const& node) {
    for (auto const& [input, output] : {std::pair(node.inputs[0].min, node.outputs[0].min),
                                        std::pair(node.inputs[0].opt, node.outputs[0].opt),
                                        std::pair(node.inputs[0].max, node.outputs[0].max)}) {
        auto const p = target::resizeWorkload(op, input, output, node.inputs[0].type.format);
        if (p.axes.size() > kResizeAxes) {
            return fmt::format("expected at most {} resized axes, got {}", kResizeAxes,
                               p.axes.size());
        }
    }
    return {};
}

inline ResizeState fastState(graph::Resize const& op, Workload const& workload) {
    ResizeState state = resizeState(op, workload, kResizeAxes);
    if (state.axes.size() > kResizeAxes) {
        fail(ErrorKind::kUnsupported,
             "[shape] Resize: expected at most {} resized axes as when the engine was built, got "
             "{}. Build with a profile that has these extents.",
             kResizeAxes, state.axes.size());
    }
    return state;
}

/// A place in the first two axes of the output.
struct ResizeRow {
    int64_t outer;
    int64_t z;
    int64_t y;

    ResizeRow(ResizeState const& state, int64_t row)
        : outer(row / state.axes[1].output / state.axes[0].output),
          z(row / state.axes[1].output % state.axes[0].output), y(row % state.axes[1].output) {}

    /// The next row; short rows would take longer to divide for than to write.
    void advance(ResizeState const& state) noexcept {
        if (++y == state.axes[1].output) {
            y = 0;
            if (++z == state.axes[0].output) {
                z = 0;
                ++outer;
            }
        }
    }

    /// The number of the input row of a sample.
    int64_t source(ResizeState const& state, int64_t tapZ, int64_t tapY) const noexcept {
        return (outer * state.axes[0].input + state.axes[0].sample(tapZ, z)) * state.axes[1].input +
               state.axes[1].sample(tapY, y);
    }
};

} // namespace kiln::targets::cpu
