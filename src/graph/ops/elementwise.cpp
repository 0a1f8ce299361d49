// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/elementwise.h"

#include "graph/op_registry.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;

bool ElementWise::compares() const {
    return operation == ElementWiseOperation::kEQUAL ||
           operation == ElementWiseOperation::kGREATER || operation == ElementWiseOperation::kLESS;
}

bool ElementWise::isLogical() const {
    return operation == ElementWiseOperation::kAND || operation == ElementWiseOperation::kOR ||
           operation == ElementWiseOperation::kXOR;
}

void ElementWise::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    DataType const type = expectSameType(context, kKind);
    bool const boolean = type == DataType::kBOOL;
    bool const either = operation == ElementWiseOperation::kEQUAL;
    if (!either && boolean != isLogical()) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected {} inputs for this operation, got {}. Add "
             "a cast layer.",
             where(context, kKind), isLogical() ? "bool" : "numeric", nameOf(type));
    }
    ShapeExpr const& left = context.inputs[0].shape;
    ShapeExpr const& right = context.inputs[1].shape;
    if (left.rank != right.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected inputs of equal rank, got {} and {}. Add leading 1s with a shuffle "
             "layer.",
             where(context, kKind), left.rank, right.rank);
    }
    TensorFacts& output = context.outputs[0];
    output.type = compares() ? DataType::kBOOL : type;
    output.shape.rank = left.rank;
    for (int32_t axis = 0; axis < left.rank; ++axis) {
        output.shape[axis] = broadcastExtent(context, kKind, axis, left[axis], right[axis]);
    }
}

TypeRule ElementWise::typeRule(int32_t operand, int32_t inputCount) const {
    bool const boolean = isLogical() || (compares() && operand == inputCount);
    return boolean ? TypeRule::kFixed : TypeRule::kCompute;
}

void registerOp_elementwise(OpRegistry& registry) {
    registry.add(ElementWise::kKind, &ElementWise::load);
}

} // namespace kiln::graph
