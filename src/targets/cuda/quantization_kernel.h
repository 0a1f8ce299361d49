// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "graph/ops/quantize.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/quantized_blocks.h"

namespace kiln::targets::cuda {

/// The kernel of Quantize and Dequantize for scales of any blocks; see kernels/quantize.cuh. Data
/// with channels last may have one scale, or one for each position along an axis.
template <typename OpType>
struct QuantizationKernel {
    using Op = OpType;
    using Arguments = QuantizedBlocks;
    static constexpr bool kQuantizes = std::is_same_v<Op, graph::Quantize>;

    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (node.outputs[0].type.format == TensorFormat::kLINEAR) {
            return target::refuseFormats(node);
        }
        std::string reason = refuseFactors(node);
        if (reason.empty()) { // the data has one dense format
            reason = refuseMixedOrders({node.op, node.layer, node.inputs.first(1), node.outputs});
        }
        if (reason.empty() && op.scaleShape().blockShape.nbDims > 0) {
            reason = "expected linear operands, as there is a scale for each block";
        } else if (reason.empty() && !isAlongOneAxis(node.inputs[1].max)) {
            reason = "expected one scale, or scales along one axis, as channels are last";
        }
        return reason;
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        char const* const from = kernelTypeName(node.inputs[0].type.type);
        char const* const to = kernelTypeName(node.outputs[0].type.type);
        return sourceOf("quantize", {{"KILN_WIDE", kQuantizes ? from : to},
                                     {"KILN_NARROW", kQuantizes ? to : from},
                                     {"KILN_SCALE", kernelTypeName(node.inputs[1].type.type)},
                                     {"KILN_ZERO", node.has(2) ? "1" : "0"},
                                     {"KILN_DEQUANTIZES", kQuantizes ? "0" : "1"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        TensorFormat const format = workload.inputTypes[0].format;
        Dims const& data = workload.inputs[0];
        graph::ScaleShape shape = op.scaleShape();
        if (shape.axis >= 0 && shape.axis < data.nbDims) {
            shape.axis = placeInMemory(shape.axis, data.nbDims, format);
        }
        Dims const& scale = workload.inputs[1];
        arguments = quantizedBlocks(
            inMemoryOrder(data, format),
            scale.nbDims == data.nbDims ? inMemoryOrder(scale, format) : scale, shape);
        int64_t const width = vectorWidth(std::max(bytesFor(workload.inputTypes[0].type, 1),
                                                   bytesFor(workload.outputTypes[0].type, 1)));
        if (!arguments.hasOne() && arguments.hasColumns(width)) {
            return {launchColumns("convert_columns", arguments, width)};
        }
        arguments.longRuns = hasLongRuns(arguments, width) ? 1 : 0;
        return {launchConversion(arguments.hasOne()         ? "convert_one"
                                 : arguments.hasRuns(width) ? "convert_runs"
                                                            : "convert_any",
                                 arguments.count, width)};
    }

private:
    static bool isAlongOneAxis(Dims const& scale) {
        return std::count_if(scale.d, scale.d + scale.nbDims,
                             [](int64_t extent) { return extent != 1; }) <= 1;
    }

    /// Scales and zero points are linear.
    static std::string refuseFactors(NodeSpec const& node) {
        for (std::size_t i = 1; i < node.inputs.size(); ++i) {
            TensorFormat const format = node.inputs[i].type.format;
            if (node.has(i) && format != TensorFormat::kLINEAR) {
                return fmt::format("expected linear scales, got {}", nameOf(format));
            }
        }
        return {};
    }
};

} // namespace kiln::targets::cuda
