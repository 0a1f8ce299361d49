// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize: interpolation along axes; see kernels/resize.cuh.
#include "graph/ops/resize.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "target/workload/map_formats.h"
#include "target/workload/resize.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Resize;
using nvinfer1::InterpolationMode;

struct ResizeKernel {
    using Op = Resize;
    static constexpr bool kAnyFormat = true;

    struct Axis {
        int64_t input = 1;
        int64_t output = 1;
        int64_t table = 0;
        float scale = 0.0F;
        int32_t taps = 1;
        int32_t keeps = 1;
        int32_t unused = 0;
    };
    struct Arguments {
        int64_t outer = 1;
        int64_t inner = 1;
        int64_t tables = 0;
        int32_t rank = 0;
        int32_t mode = 0;
        int32_t transformation = 0;
        int32_t selector = 0;
        int32_t rounding = 0;
        int32_t excludesOutside = 0;
        float cubic = 0.0F;
        Axis axes[Dims::MAX_DIMS];
        int32_t lanes = 0;
        int32_t pitch = 0;
        int32_t turns = 0;
        int32_t rowsOfBlock = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        std::string reason = refuseSubByte(type);
        if (reason.empty()) {
            reason = target::refuseMapFormats(node.inputs[0].type, node.outputs[0].type,
                                              node.inputs[0].opt.nbDims);
        }
        for (int32_t axis = 0; reason.empty() && axis < node.inputs[0].max.nbDims; ++axis) {
            if (node.inputs[0].max.d[axis] > INT32_MAX) { // samples have 32 bits
                reason = "expected input extents of at most 31 bits";
            }
        }
        return reason;
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        bool const moves = op.mode == InterpolationMode::kNEAREST;
        DataType const type = node.inputs[0].type.type;
        bool const extents = node.inputs.size() > 1; // a parameter that kernels ignore
        return sourceOf("resize",
                        {{"KILN_ELEMENT", moves ? moverTypeName(type) : kernelTypeName(type)},
                         {"KILN_EXTENTS", extents ? "void const*," : ""},
                         {"KILN_TAPS", std::to_string(op.taps())},
                         {"KILN_MOVES", moves ? "1" : "0"}});
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        // An axis may keep its extent at the largest shapes alone, so all of them count.
        Dims const& output = workload.outputs[0];
        int64_t const positions = std::accumulate(output.d, output.d + output.nbDims, int64_t{0});
        constexpr int64_t kTapBytes = 8;
        return static_cast<std::size_t>(positions * op.taps() * kTapBytes);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        describe(op, workload, arguments);
        int64_t const count = volume(workload.outputs[0], "resized tensor");
        std::vector<GridLaunch> launches;
        if (count == 0) {
            return launches;
        }
        if (GridLaunch const strips = overStrips(op, workload.type(), arguments);
            strips.gridX > 0) {
            return {strips};
        }
        if (arguments.tables > 0) {
            launches.push_back(launchOver("resize_tables", arguments.tables));
        }
        if (arguments.rank > kAxes) {
            launches.push_back(launchOver("resize_any", count));
            return launches;
        }
        bool const rows = arguments.inner == 1;
        int64_t const vector = 128 / bitsOf(workload.type());
        int64_t const length = rows ? arguments.axes[kAxes - 1].output : arguments.inner;
        constexpr int64_t kEnoughThreads = 1 << 16; // fewer leave a large GPU idle
        bool const wide = length % vector == 0 && count / vector >= kEnoughThreads;
        if (wide) {
            launches.push_back(launchOver(rows ? "resize_rows" : "resize_vectors", count / vector));
        } else {
            launches.push_back(
                launchOver(rows ? "resize_rows_single" : "resize_vectors_single", count));
        }
        return launches;
    }

private:
    static constexpr int32_t kAxes = 3; // of the fast functions

    /// Blocks of strips of rows, or no blocks where rows are too short, or so much longer than those
    /// of the output that most of what a block would read is not needed.
    static GridLaunch overStrips(Op const& op, DataType type, Arguments& arguments) {
        // As in kernels/resize.cuh.
        constexpr int64_t kThreads = 256;
        constexpr int64_t kColumns = 2;
        constexpr int64_t kMostRows = 64;
        int64_t const sums = bitsOf(type) > 32 ? 3328 : 6656;
        constexpr int64_t kLeastColumns = 16;
        constexpr int64_t kMostTurns = 8;
        GridLaunch launch{"resize_strips", 0, 1, 1, kThreads};
        Axis const& width = arguments.axes[kAxes - 1];
        if (arguments.rank != kAxes || arguments.inner != 1 || width.output < kLeastColumns ||
            width.output > INT32_MAX / kColumns) {
            return launch;
        }
        double const step = inputsOfOutput(width);
        if (step > (op.mode == InterpolationMode::kNEAREST ? 2.0 : 4.0)) {
            return launch;
        }
        auto const pairs = static_cast<uint64_t>((width.output + kColumns - 1) / kColumns);
        int64_t const lanes =
            std::clamp<int64_t>(static_cast<int64_t>(std::bit_ceil(pairs)), 32, kThreads);
        int64_t const vector = 128 / bitsOf(type);
        auto const inputs = static_cast<int64_t>(step * static_cast<double>(lanes * kColumns));
        // With the samples beside them, a rounded coordinate, and whole vectors.
        int64_t const pitch = (inputs + op.taps() + 2 + 2 * vector + 15) / 16 * 16;
        int64_t const groups = kThreads / lanes;
        int64_t const turns = std::min(kMostTurns, sums / (pitch * groups));
        int64_t const chunks = (width.output - 1) / (lanes * kColumns) + 1;
        constexpr int64_t kMostChunks = 65535;
        if (turns == 0 || chunks > kMostChunks) {
            return launch;
        }
        int64_t const atOnce = groups * turns;
        int64_t const rows =
            arguments.outer * arguments.axes[0].output * arguments.axes[1].output;
        constexpr int64_t kBlocksWanted = 2048; // then a block takes more rows
        int64_t const wanted = rows * chunks / kBlocksWanted / atOnce;
        int64_t const rowsOfBlock =
            std::clamp<int64_t>(wanted, 1, std::max<int64_t>(kMostRows / atOnce, 1)) * atOnce;
        arguments.lanes = static_cast<int32_t>(lanes);
        arguments.pitch = static_cast<int32_t>(pitch);
        arguments.turns = static_cast<int32_t>(turns);
        arguments.rowsOfBlock = static_cast<int32_t>(rowsOfBlock);
        launch.gridX = (rows - 1) / rowsOfBlock + 1;
        launch.gridY = chunks;
        return launch;
    }

    /// An upper bound of the distance between the coordinates of neighbouring outputs.
    static double inputsOfOutput(Axis const& axis) {
        auto const input = static_cast<double>(axis.input);
        auto const output = static_cast<double>(axis.output);
        double step = input / output;
        if (axis.output > 1) {
            step = std::max(step, (input - 1.0) / (output - 1.0));
        }
        return axis.scale > 0.0F ? std::max(step, 1.0 / static_cast<double>(axis.scale)) : step;
    }

    static void describe(Op const& op, Workload const& workload, Arguments& arguments) {
        target::ResizeWorkload const p = target::resizeWorkload(
            op, workload.inputs[0], workload.outputs[0], workload.inputTypes[0].format);
        auto const count = static_cast<int32_t>(p.axes.size());
        // Without axes, the whole tensor is one vector.
        arguments.outer = count == 0 ? 1 : p.outer;
        arguments.inner = count == 0 ? p.outer : p.inner;
        arguments.rank = std::max(count, kAxes);
        for (int32_t i = 0; i < count; ++i) {
            auto const& from = p.axes[static_cast<std::size_t>(i)];
            Axis& axis = arguments.axes[arguments.rank - count + i];
            axis = {from.input, from.output, arguments.tables,
                    from.scale, from.taps,   from.keeps ? 1 : 0,
                    0};
            arguments.tables += from.keeps ? 0 : from.output;
        }
        arguments.mode = static_cast<int32_t>(op.mode);
        arguments.transformation = static_cast<int32_t>(op.transformation);
        arguments.selector = static_cast<int32_t>(op.selector);
        arguments.rounding = static_cast<int32_t>(op.rounding);
        arguments.excludesOutside = op.excludesOutside ? 1 : 0;
        arguments.cubic = op.cubic;
    }
};

} // namespace

void registerKernel_resize(KernelRegistry& registry) {
    registry.add(entryOf<ResizeKernel>("resize_reference"));
}

} // namespace kiln::targets::cuda
