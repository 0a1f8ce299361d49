// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/node_at.h"

namespace kiln::target {
namespace {

std::vector<Dims> dimsAt(std::span<OperandSpec const> operands, NodeAt::Point point) {
    std::vector<Dims> dims;
    for (OperandSpec const& operand : operands) {
        dims.push_back(point == NodeAt::Point::kLeast  ? operand.min
                       : point == NodeAt::Point::kMost ? operand.max
                                                       : operand.opt);
    }
    return dims;
}

} // namespace

std::vector<OperandType> typesOf(std::span<OperandSpec const> operands) {
    std::vector<OperandType> types;
    for (OperandSpec const& operand : operands) {
        types.push_back(operand.type);
    }
    return types;
}

NodeAt::NodeAt(NodeSpec const& node, Point point)
    : inputTypes_(typesOf(node.inputs)), outputTypes_(typesOf(node.outputs)),
      inputs_(dimsAt(node.inputs, point)), outputs_(dimsAt(node.outputs, point)) {}

} // namespace kiln::target
