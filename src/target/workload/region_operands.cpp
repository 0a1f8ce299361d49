// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/region_operands.h"

#include <algorithm>

#include "graph/ops/slice.h"
#include "target/nest.h"

namespace kiln::target {
namespace {

using graph::Region;
using graph::Slice;

std::vector<int64_t> firstOf(Slice const& op) {
    std::vector<int64_t> first(Dims::MAX_DIMS, 0);
    for (int32_t i = 0; i < op.start.nbDims; ++i) {
        int64_t const axis = op.axes.nbDims < 0 ? i : op.axes.d[i];
        first[static_cast<std::size_t>(axis)] = op.start.d[i];
    }
    return first;
}

bool isRead(Region const& region, int32_t value) {
    auto const reads = [&](Region::Node const& node) {
        return !isOperandSlice(region, node) &&
               std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
    };
    std::vector<int32_t> const& results = region.results();
    return std::any_of(region.nodes().begin(), region.nodes().end(), reads) ||
           std::find(results.begin(), results.end(), value) != results.end();
}

} // namespace

bool isOperandSlice(Region const& region, Region::Node const& node) {
    if (node.op->kind() != Slice::kKind || node.inputs.size() != 1 || node.inputs[0] < 0 ||
        node.inputs[0] >= region.inputCount()) {
        return false;
    }
    auto const& op = static_cast<Slice const&>(*node.op);
    bool const counts = op.axes.nbDims < 0 || op.axes.nbDims == op.start.nbDims;
    return counts && op.mode == nvinfer1::SampleMode::kSTRICT_BOUNDS &&
           std::all_of(op.axes.d, op.axes.d + std::max(op.axes.nbDims, 0),
                       [](int64_t axis) { return axis >= 0 && axis < Dims::MAX_DIMS; }) &&
           std::all_of(op.stride.d, op.stride.d + std::max(op.stride.nbDims, 0),
                       [](int64_t stride) { return stride == 1; });
}

std::vector<RegionOperand> regionOperands(Region const& region) {
    std::vector<RegionOperand> operands;
    for (int32_t input = 0; input < region.inputCount(); ++input) {
        if (isRead(region, input)) {
            operands.push_back({input, static_cast<std::size_t>(input)});
        }
    }
    for (std::size_t i = 0; i < region.nodes().size(); ++i) {
        Region::Node const& node = region.nodes()[i];
        int32_t const value = region.firstOutput(i);
        if (isOperandSlice(region, node) && isRead(region, value)) {
            operands.push_back({value, static_cast<std::size_t>(node.inputs[0]),
                                firstOf(static_cast<Slice const&>(*node.op))});
        }
    }
    return operands;
}

std::string refuseSlicedFormats(Region const& region, NodeSpec const& node) {
    bool const slices =
        std::any_of(region.nodes().begin(), region.nodes().end(),
                    [&](Region::Node const& one) { return isOperandSlice(region, one); });
    auto const isOther = [](OperandSpec const& operand) {
        return operand.type.format != TensorFormat::kLINEAR;
    };
    bool const other = std::any_of(node.inputs.begin(), node.inputs.end(), isOther) ||
                       std::any_of(node.outputs.begin(), node.outputs.end(), isOther);
    return slices && other ? "expected linear operands, since some are slices" : "";
}

OperandStrides stridesOf(RegionOperand const& operand, Dims const& dims, Dims const& inputDims) {
    OperandStrides result;
    auto const dense = denseStrides(inputDims);
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        auto const at = static_cast<std::size_t>(axis);
        result.along[at] = dims.d[axis] == 1 ? 0 : dense[at];
        result.begin += operand.first.empty() ? 0 : operand.first[at] * dense[at];
    }
    return result;
}

} // namespace kiln::target
