// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/elementwise.h"

#include "graph/op_registry.h"
#include "graph/real_values.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;

namespace {

/// x / y, or 0 if y is 0, like in kernels. evaluate() computes all nodes, even from placeholders of
/// unknown values, so y = 0 must not fail.
ExprRef quotient(ExprPool& pool, ExprOp division, ExprRef x, ExprRef y) {
    if (pool.isConstant(y)) {
        return pool.binary(division, x, y);
    }
    ExprRef const isZero = pool.binary(ExprOp::kEqual, y, pool.constant(0));
    ExprRef const divisor = pool.binary(ExprOp::kSum, y, isZero);
    return pool.binary(ExprOp::kProd, pool.binary(division, x, divisor), negated(pool, isZero));
}

/// The symbolic result for a pair of integers or bools. kPOW is not supported: extents do not need
/// it.
ExprRef apply(ExprPool& pool, ElementWiseOperation operation, ExprRef x, ExprRef y) {
    switch (operation) {
    case ElementWiseOperation::kSUM: return pool.binary(ExprOp::kSum, x, y);
    case ElementWiseOperation::kPROD: return pool.binary(ExprOp::kProd, x, y);
    case ElementWiseOperation::kMAX:
    case ElementWiseOperation::kOR: return pool.binary(ExprOp::kMax, x, y);
    case ElementWiseOperation::kMIN:
    case ElementWiseOperation::kAND: return pool.binary(ExprOp::kMin, x, y);
    case ElementWiseOperation::kSUB: return pool.binary(ExprOp::kSub, x, y);
    case ElementWiseOperation::kDIV: return quotient(pool, ExprOp::kTruncDiv, x, y);
    case ElementWiseOperation::kFLOOR_DIV: return quotient(pool, ExprOp::kFloorDiv, x, y);
    case ElementWiseOperation::kEQUAL: return pool.binary(ExprOp::kEqual, x, y);
    case ElementWiseOperation::kXOR: return negated(pool, pool.binary(ExprOp::kEqual, x, y));
    case ElementWiseOperation::kLESS: return pool.binary(ExprOp::kLess, x, y);
    case ElementWiseOperation::kGREATER: return pool.binary(ExprOp::kLess, y, x);
    default: break;
    }
    fail(ErrorKind::kInternal,
         "[shape] elementwise operation {} has no symbolic value. Report this as a defect of Kiln.",
         static_cast<int32_t>(operation));
}

/// The symbolic result for a pair of real numbers, rounded as kernels do.
ExprRef applyReal(ExprPool& pool, ElementWiseOperation operation, ExprRef x, ExprRef y) {
    auto const rounded = [&](ExprOp op) {
        return pool.unary(ExprOp::kSingle, pool.binary(op, x, y));
    };
    x = pool.unary(ExprOp::kToReal, x);
    y = pool.unary(ExprOp::kToReal, y);
    switch (operation) {
    case ElementWiseOperation::kSUM: return rounded(ExprOp::kRealSum);
    case ElementWiseOperation::kSUB: return rounded(ExprOp::kRealSub);
    case ElementWiseOperation::kPROD: return rounded(ExprOp::kRealProd);
    case ElementWiseOperation::kMAX: return pool.binary(ExprOp::kRealMax, x, y);
    case ElementWiseOperation::kMIN: return pool.binary(ExprOp::kRealMin, x, y);
    case ElementWiseOperation::kDIV: return pool.unary(ExprOp::kSingle, realQuotient(pool, x, y));
    case ElementWiseOperation::kFLOOR_DIV:
        return pool.unary(
            ExprOp::kToReal,
            pool.unary(ExprOp::kFloor, pool.unary(ExprOp::kSingle, realQuotient(pool, x, y))));
    default: break;
    }
    fail(ErrorKind::kInternal,
         "[shape] elementwise operation {} has no value of real numbers. Report this as a defect "
         "of Kiln.",
         static_cast<int32_t>(operation));
}

bool isOfReals(ElementWiseOperation operation) {
    switch (operation) {
    case ElementWiseOperation::kSUM:
    case ElementWiseOperation::kSUB:
    case ElementWiseOperation::kPROD:
    case ElementWiseOperation::kMAX:
    case ElementWiseOperation::kMIN:
    case ElementWiseOperation::kDIV:
    case ElementWiseOperation::kFLOOR_DIV: return true;
    default: return false;
    }
}

} // namespace

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
    TensorFacts const& x = context.inputs[0];
    TensorFacts const& y = context.inputs[1];
    bool const real = type == DataType::kFLOAT;
    if (x.values && y.values &&
        (real ? isOfReals(operation) : operation != ElementWiseOperation::kPOW)) {
        followElements(context.pool, output, [&](Position const& at) {
            return (real ? applyReal : apply)(context.pool, operation, valueAt(context.pool, x, at),
                                              valueAt(context.pool, y, at));
        });
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
