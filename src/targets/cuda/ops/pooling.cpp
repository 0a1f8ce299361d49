// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling over windows of the spatial axes; see kernels/pooling.cuh.
#include "graph/ops/pooling.h"

#include <algorithm>
#include <utility>

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::PoolingType;

struct PoolAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t size = 1;
    int64_t stride = 1;
    int64_t before = 0;
    int64_t after = 0;
};

struct PoolingArguments {
    int64_t results;
    PoolAxis depth;
    PoolAxis height;
    PoolAxis width;
    float ofLargest;
    float ofMean;
    int32_t countsPadding;
    int64_t channels;
    int32_t threads;
    int32_t strips;
    FastDivide byWidth;
    FastDivide byStrips;
    FastDivide byDepth;
};

struct PoolingKernel {
    using Op = graph::Pooling;
    using Arguments = PoolingArguments;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        std::string const reason = refuseUnlessFloat(node);
        return reason.empty() ? orderProblem(op, node.inputs[0].type, node.outputs[0].type)
                              : reason;
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        auto const number = [](int64_t value) { return std::to_string(value); };
        auto const [windowY, strideY] = alongAxis(op.window, 2);
        auto const [windowX, strideX] = alongAxis(op.window, 1);
        return sourceOf("pooling", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                    {"KILN_LARGEST", op.type != PoolingType::kAVERAGE ? "1" : "0"},
                                    {"KILN_MEAN", op.type != PoolingType::kMAX ? "1" : "0"},
                                    {"KILN_WINDOW_Y", hasStrips(op.window) ? number(windowY) : "0"},
                                    {"KILN_WINDOW_X", number(windowX)},
                                    {"KILN_STRIDE_Y", number(strideY)},
                                    {"KILN_STRIDE_X", number(strideX)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        if (std::string const problem =
                orderProblem(op, workload.inputTypes[0], workload.outputTypes[0]);
            !problem.empty()) {
            fail(ErrorKind::kUnsupported, "[shape] Pooling: {}. Build the plan again.", problem);
        }
        Dims const& input = workload.inputs[0];
        Dims const& output = workload.outputs[0];
        auto const axisOf = [&](int32_t i) {
            auto const padding = op.window.padding(i, input.d[2 + i], output.d[2 + i]);
            return PoolAxis{input.d[2 + i],        output.d[2 + i], op.window.size.d[i],
                            op.window.stride.d[i], padding.before,  padding.after};
        };
        arguments.results = volume(output, "pooled tensor");
        int32_t const axes = op.window.size.nbDims;
        arguments.depth = axes > 2 ? axisOf(axes - 3) : PoolAxis{};
        arguments.height = axes > 1 ? axisOf(axes - 2) : PoolAxis{};
        arguments.width = axisOf(axes - 1);
        arguments.ofMean = op.type == PoolingType::kMAX       ? 0.0F
                           : op.type == PoolingType::kAVERAGE ? 1.0F
                                                              : op.blendFactor;
        arguments.ofLargest = 1.0F - arguments.ofMean;
        arguments.countsPadding = op.averageCountExcludesPadding ? 0 : 1;
        if (workload.inputTypes[0].format == TensorFormat::kLINEAR) {
            return {overLinear(op.window, arguments)};
        }
        arguments.channels = input.d[1];
        int64_t const width = 128 / bitsOf(workload.type());
        constexpr int64_t kEnoughThreads = 1 << 16; // fewer leave a large GPU idle
        bool const wide =
            arguments.channels % width == 0 && arguments.results / width >= kEnoughThreads;
        return {wide ? launchOver("pooling_last", arguments.results / width)
                     : launchOver("pooling_last_single", arguments.results)};
    }

private:
    static constexpr int64_t kStripRows = 4; // as in kernels/pooling.cuh

    /// The size and the stride of a window along an axis, counted from the last.
    static std::pair<int64_t, int64_t> alongAxis(graph::Window const& window, int32_t fromEnd) {
        int32_t const axis = window.size.nbDims - fromEnd;
        return axis < 0 ? std::pair<int64_t, int64_t>{1, 1}
                        : std::pair{window.size.d[axis], window.stride.d[axis]};
    }

    /// Whether the rows of the windows of a strip are few enough to be written out.
    static bool hasStrips(graph::Window const& window) {
        auto const [sizeY, strideY] = alongAxis(window, 2);
        auto const [sizeX, strideX] = alongAxis(window, 1);
        constexpr int64_t kMostExtent = 16;
        constexpr int64_t kMostLoads = 80;
        return sizeY <= kMostExtent && sizeX <= kMostExtent && strideX <= kMostExtent &&
               strideY <= kMostExtent &&
               std::min((kStripRows - 1) * strideY + sizeY, kStripRows * sizeY) * sizeX <=
                   kMostLoads;
    }

    static GridLaunch overLinear(graph::Window const& window, PoolingArguments& arguments) {
        GridLaunch const plain = launchOver("pooling", arguments.results);
        PoolAxis const& height = arguments.height;
        PoolAxis const& width = arguments.width;
        int64_t const results = arguments.results;
        if (!hasStrips(window) || results == 0 ||
            results + kStripRows * results / height.output > INT32_MAX ||
            std::max({width.input, height.input, width.before, height.before}) > INT32_MAX / 64) {
            return plain;
        }
        int64_t const strips = (height.output - 1) / kStripRows + 1;
        arguments.threads = static_cast<int32_t>(results / height.output * strips);
        arguments.strips = static_cast<int32_t>(strips);
        arguments.byWidth = fastDivide(width.output);
        arguments.byStrips = fastDivide(strips);
        arguments.byDepth = fastDivide(arguments.depth.output);
        return launchOver("pooling_strips", arguments.threads);
    }

    /// Linear, or channels last on both sides; windows of two axes have kHWC, of three kDHWC.
    static std::string orderProblem(Op const& op, OperandType const& input,
                                    OperandType const& output) {
        int32_t const axes = op.window.size.nbDims;
        TensorFormat const last = axes == 2   ? TensorFormat::kHWC
                                  : axes == 3 ? TensorFormat::kDHWC
                                              : TensorFormat::kLINEAR;
        bool const known = input.format == TensorFormat::kLINEAR || input.format == last;
        return known && input.format == output.format
                   ? std::string()
                   : fmt::format("expected linear operands or channels last, got {} and {}",
                                 nameOf(input.format), nameOf(output.format));
    }
};

} // namespace

void registerKernel_pooling(KernelRegistry& registry) {
    registry.add(entryOf<PoolingKernel>("pooling_reference"));
}

} // namespace kiln::targets::cuda
