// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling over windows of the spatial axes; see kernels/pooling.cuh.
#include "graph/ops/pooling.h"

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/pooling_launches.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::PoolingType;
using Launches = PoolingLaunches;

struct PoolingKernel {
    using Op = graph::Pooling;
    using Arguments = PoolingArguments;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        std::string const reason = refuseUnlessFloat(node);
        return reason.empty() ? orderProblem(op, node.inputs[0].type, node.outputs[0].type)
                              : reason;
    }

    /// Of two elements, in the names of instructions.
    static char const* pairName(DataType type) {
        return type == DataType::kBF16 ? "\"bf16x2\"" : "\"f16x2\"";
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        auto const number = [](int64_t value) { return std::to_string(value); };
        auto const [windowY, strideY] = Launches::alongAxis(op.window, 2);
        auto const [windowX, strideX] = Launches::alongAxis(op.window, 1);
        DataType const type = node.inputs[0].type.type;
        int64_t const vector = 128 / bitsOf(type);
        bool const packed = op.type == PoolingType::kMAX && bitsOf(type) == 16;
        return sourceOf("pooling", {{"KILN_ELEMENT", kernelTypeName(type)},
                                    {"KILN_LARGEST", op.type != PoolingType::kAVERAGE ? "1" : "0"},
                                    {"KILN_MEAN", op.type != PoolingType::kMAX ? "1" : "0"},
                                    {"KILN_WINDOW_Y", number(windowY)},
                                    {"KILN_WINDOW_X", number(windowX)},
                                    {"KILN_STRIPS", Launches::hasStrips(op.window) ? "1" : "0"},
                                    {"KILN_TILES", Launches::hasTiles(op) ? "1" : "0"},
                                    {"KILN_ROWS", Launches::hasRows(op, vector) ? "1" : "0"},
                                    {"KILN_BEFORE_X", number(Launches::beforeRow(op.window))},
                                    {"KILN_PACKED", packed ? "1" : "0"},
                                    {"KILN_PAIR", pairName(type)},
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
            if (GridLaunch const rows =
                    Launches::overRows(op, 128 / bitsOf(workload.type()), arguments);
                rows.gridX > 0) {
                return {rows};
            }
            GridLaunch const tiles =
                Launches::overTiles(op, bitsOf(workload.type()) / 8, arguments);
            return {tiles.gridX > 0 ? tiles : Launches::overLinear(op.window, arguments)};
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
