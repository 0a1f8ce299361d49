// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize: interpolation along axes; see kernels/resize.cuh.
#include "graph/ops/resize.h"

#include <algorithm>
#include <numeric>

#include "target/workload/map_formats.h"
#include "target/workload/resize.h"
#include "targets/cuda/fast_divide.h"
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
        int64_t step = 0;
        int64_t first = 0;
        int64_t divisor = 1;
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
        int64_t strips = 0;
        int32_t lanes = 0;
        int32_t rowsOfStrip = 0;
        int32_t inputsOfStrip = 0;
        int32_t pitch = 0;
        FastDivide byVectors;
        float phases[2][4] = {};
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
        DoubledTaps const doubled = doubledTaps(op);
        return sourceOf("resize",
                        {{"KILN_ELEMENT", moves ? moverTypeName(type) : kernelTypeName(type)},
                         {"KILN_EXTENTS", extents ? "void const*," : ""},
                         {"KILN_TAPS", std::to_string(op.taps())},
                         {"KILN_MOVES", moves ? "1" : "0"},
                         {"KILN_DOUBLES", doubles(op, type) ? "1" : "0"},
                         {"KILN_EVEN", std::to_string(doubled.first[0])},
                         {"KILN_ODD", std::to_string(doubled.first[1])}});
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
        if (GridLaunch const whole = overWholeFactors(op, workload.type(), arguments);
            whole.gridX > 0) {
            return {whole};
        }
        if (GridLaunch const tiles = overTiles(workload.type(), op.taps(), arguments);
            tiles.gridX > 0) {
            return {tiles};
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

    /// Samples of the outputs 2k and 2k + 1 of an axis that doubles, far from its ends: the first
    /// one, less k, and the weights.
    struct DoubledTaps {
        int64_t first[2] = {};
        float weight[2][4] = {};
    };

    static DoubledTaps doubledTaps(Op const& op) {
        constexpr int64_t kPlace = 8;
        target::ResizeWorkload::Axis axis;
        axis.input = 4 * kPlace;
        axis.output = 8 * kPlace;
        axis.taps = static_cast<int32_t>(op.taps());
        DoubledTaps result;
        for (int64_t odd = 0; odd < 2; ++odd) {
            target::ResizeTaps const taps = target::resizeTaps(op, axis, 2 * kPlace + odd);
            result.first[odd] = taps.at[0] - kPlace;
            std::copy_n(taps.weight, 4, result.weight[odd]);
        }
        return result;
    }

    /// Whether all outputs at even places have the same samples, and all at odd places, and a
    /// thread's fit its registers.
    static bool doubles(Op const& op, DataType type) {
        return op.transformation != nvinfer1::ResizeCoordinateTransformation::kALIGN_CORNERS &&
               !op.excludesOutside &&
               (op.taps() == 1 || (bitsOf(type) >= 16 && bitsOf(type) <= 32));
    }

    /// For images whose height and width both double or both halve.
    static GridLaunch overWholeFactors(Op const& op, DataType type, Arguments& arguments) {
        constexpr int32_t kThreads = 128; // as in kernels/resize_doubles.cuh
        GridLaunch none{"resize_doubled", 0};
        Axis const& height = arguments.axes[1];
        Axis const& width = arguments.axes[2];
        int64_t const vector = 128 / bitsOf(type);
        if (!doubles(op, type) || !hasImages(arguments)) {
            return none;
        }
        auto const grows = [](Axis const& axis, int64_t times, int64_t parts) {
            float const scale = static_cast<float>(times) / static_cast<float>(parts);
            return axis.output * parts == axis.input * times &&
                   (axis.scale == 0.0F || axis.scale == scale) && axis.output < (1 << 22);
        };
        if (grows(height, 2, 1) && grows(width, 2, 1) && width.input % (vector / 2) == 0) {
            constexpr int64_t kStrip = 4;
            DoubledTaps const taps = doubledTaps(op);
            std::copy_n(&taps.weight[0][0], 8, &arguments.phases[0][0]);
            arguments.strips = (height.input - 1) / kStrip + 1;
            return launchBlocks("resize_doubled",
                                arguments.outer * arguments.strips * (width.input / (vector / 2)),
                                kThreads, kThreads);
        }
        if (op.taps() == 2 && grows(height, 1, 2) && grows(width, 1, 2) &&
            width.output % vector == 0) {
            constexpr int64_t kStrip = 2;
            constexpr int64_t kPlace = 8;
            target::ResizeWorkload::Axis axis;
            axis.input = 8 * kPlace;
            axis.output = 4 * kPlace;
            axis.taps = 2;
            std::copy_n(target::resizeTaps(op, axis, kPlace).weight, 4, arguments.phases[0]);
            arguments.strips = (height.output - 1) / kStrip + 1;
            return launchBlocks("resize_halved",
                                arguments.outer * arguments.strips * (width.output / vector),
                                kThreads, kThreads);
        }
        return none;
    }

    /// Whether the last two axes are all that change.
    static bool hasImages(Arguments const& arguments) {
        Axis const& depth = arguments.axes[0];
        Axis const& height = arguments.axes[1];
        Axis const& width = arguments.axes[2];
        return arguments.rank == kAxes && arguments.inner == 1 && depth.output == 1 &&
               depth.keeps != 0 && height.keeps == 0 && width.keeps == 0 &&
               height.input * width.input <= INT32_MAX / 2;
    }

    /// Blocks of tiles; no blocks where rows are too short, or where outputs skip most of the
    /// input.
    static GridLaunch overTiles(DataType type, int64_t taps, Arguments& arguments) {
        // As in kernels/resize_tiles.cuh.
        constexpr int64_t kThreads = 256;
        constexpr int64_t kMostRows = 256;
        constexpr int64_t kMostInputs = 1024;
        constexpr int64_t kMostBytes = 49152;
        constexpr int64_t kBytesWanted = 36864; // then several blocks share a multiprocessor
        constexpr int64_t kLeastColumns = 8;
        constexpr int64_t kMostChunks = 65535;
        GridLaunch launch{"resize_tiles_of_2", 0, 1, 1, kThreads};
        Axis const& height = arguments.axes[1];
        Axis const& width = arguments.axes[2];
        if (!hasImages(arguments) || width.output < kLeastColumns ||
            (bitsOf(type) > 32 && taps > 1)) {
            return launch;
        }
        double const stepY = inputsOfOutput(height);
        double const stepX = inputsOfOutput(width);
        if (stepY > 2.0 * static_cast<double>(taps) || stepX > 2.0 * static_cast<double>(taps)) {
            return launch;
        }
        // More columns take fewer instructions, but lanes that read far apart share memory banks.
        int64_t const columns = bitsOf(type) <= 16 && stepX <= 1.0 ? 4 : 2;
        if (columns == 4) {
            launch.function = "resize_tiles_of_4";
        }
        int64_t const shares = (width.output + columns - 1) / columns;
        int64_t const vector = 128 / bitsOf(type);
        for (int64_t lanes = lanesFor(shares, kThreads); lanes >= 4; lanes /= 2) {
            int64_t const groups = kThreads / lanes;
            int64_t const chunks = (shares - 1) / lanes + 1;
            auto const within = [&](double step, int64_t count) { // and a rounded coordinate
                return static_cast<int64_t>(step * static_cast<double>(count - 1)) + taps + 2;
            };
            int64_t const vectors = (within(stepX, lanes * columns) + 2 * vector - 2) / vector;
            int64_t const pitch = (vectors + 2) * vector; // with the borders
            auto const bytesOf = [&](int64_t rows) {
                return groups * within(stepY, rows) * pitch * bitsOf(type) / 8;
            };
            // Long strips share more rows; enough of them must be left for all multiprocessors.
            constexpr int64_t kBlocksWanted = 2048;
            int64_t rows = std::clamp<int64_t>(arguments.outer * height.output * chunks / groups /
                                                   kBlocksWanted,
                                               4, std::min<int64_t>(kMostRows / groups, 64));
            while (rows > 4 &&
                   (bytesOf(rows) > kBytesWanted || groups * within(stepY, rows) > kMostInputs)) {
                rows = (rows + 1) / 2;
            }
            if (bytesOf(rows) > kMostBytes || groups * within(stepY, rows) > kMostInputs ||
                chunks > kMostChunks) {
                continue;
            }
            arguments.lanes = static_cast<int32_t>(lanes);
            arguments.rowsOfStrip = static_cast<int32_t>(rows);
            arguments.strips = (height.output - 1) / rows + 1;
            arguments.inputsOfStrip = static_cast<int32_t>(within(stepY, rows));
            arguments.pitch = static_cast<int32_t>(pitch);
            arguments.byVectors = fastDivide(vectors);
            launch.gridX = (arguments.outer * arguments.strips - 1) / groups + 1;
            launch.gridY = chunks;
            launch.sharedBytes = static_cast<int32_t>(bytesOf(rows));
            return launch;
        }
        return launch;
    }

    /// Threads for a row of `shares`: a power of two that leaves few of them idle.
    static int64_t lanesFor(int64_t shares, int64_t most) {
        int64_t lanes = 4;
        for (int64_t more = lanes; more <= most; more *= 2) {
            auto const taken = [&](int64_t count) { return (shares + count - 1) / count * count; };
            lanes = taken(more) <= taken(lanes) ? more : lanes;
        }
        return lanes;
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

    static void setCoordinates(Op const& op, float scale, Axis& axis) {
        using nvinfer1::ResizeCoordinateTransformation;
        bool const corners = op.transformation == ResizeCoordinateTransformation::kALIGN_CORNERS;
        if (axis.output == 1 && (corners || op.selector == nvinfer1::ResizeSelector::kUPPER)) {
            return; // always 0
        }
        if (corners) {
            axis.step = axis.input - 1;
            axis.divisor = axis.output - 1;
        } else if (scale != 0.0F) {
            axis.scale = scale;
        } else if (op.transformation == ResizeCoordinateTransformation::kHALF_PIXEL) {
            axis.step = 2 * axis.input;
            axis.first = axis.input - axis.output;
            axis.divisor = 2 * axis.output;
        } else {
            axis.step = axis.input;
            axis.divisor = axis.output;
        }
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
            axis.input = from.input;
            axis.output = from.output;
            axis.table = arguments.tables;
            axis.taps = from.taps;
            axis.keeps = from.keeps ? 1 : 0;
            setCoordinates(op, from.scale, axis);
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
