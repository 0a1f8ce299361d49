// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/unary.h"

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::UnaryOperation;

namespace {

/// The symbolic result for one integer or bool.
ExprRef apply(ExprPool& pool, UnaryOperation operation, ExprRef x) {
    ExprRef const zero = pool.constant(0);
    switch (operation) {
    case UnaryOperation::kNOT: return negated(pool, x);
    case UnaryOperation::kNEG: return pool.binary(ExprOp::kSub, zero, x);
    case UnaryOperation::kABS:
        return pool.binary(ExprOp::kMax, x, pool.binary(ExprOp::kSub, zero, x));
    default: // kSIGN
        return pool.binary(ExprOp::kSub, pool.binary(ExprOp::kLess, zero, x),
                           pool.binary(ExprOp::kLess, x, zero));
    }
}

/// The symbolic result for one real number.
ExprRef applyReal(ExprPool& pool, UnaryOperation operation, ExprRef x) {
    auto const whole = [&](ExprOp op) {
        return pool.unary(ExprOp::kToReal, pool.unary(op, pool.unary(ExprOp::kToReal, x)));
    };
    ExprRef const opposite = pool.binary(ExprOp::kRealSub, pool.real(0.0), x);
    switch (operation) {
    case UnaryOperation::kFLOOR: return whole(ExprOp::kFloor);
    case UnaryOperation::kCEIL: return whole(ExprOp::kCeil);
    case UnaryOperation::kROUND: return whole(ExprOp::kRound);
    case UnaryOperation::kABS: return pool.binary(ExprOp::kRealMax, x, opposite);
    default: return opposite; // kNEG
    }
}

bool isOfReals(UnaryOperation operation) {
    return operation == UnaryOperation::kFLOOR || operation == UnaryOperation::kCEIL ||
           operation == UnaryOperation::kROUND || operation == UnaryOperation::kABS ||
           operation == UnaryOperation::kNEG;
}

} // namespace

bool Unary::takesIntegers() const {
    return operation == UnaryOperation::kABS || operation == UnaryOperation::kNEG ||
           operation == UnaryOperation::kSIGN;
}

bool Unary::asks() const {
    return operation == UnaryOperation::kISINF || operation == UnaryOperation::kISNAN;
}

void Unary::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& input = context.inputs[0];
    bool const logical = operation == UnaryOperation::kNOT;
    if (logical && input.type != DataType::kBOOL) {
        fail(ErrorKind::kInvalidArgument, "{}: expected a bool input, got {}. Add a cast layer.",
             where(context, kKind), nameOf(input.type));
    }
    bool const whole = input.type == DataType::kINT8 || input.type == DataType::kINT32 ||
                       input.type == DataType::kINT64;
    if (!logical && !(takesIntegers() && whole)) {
        expectFloating(context, kKind);
    }
    TensorFacts& output = context.outputs[0];
    output.type = asks() ? DataType::kBOOL : input.type;
    output.shape = input.shape;
    bool const real = input.type == DataType::kFLOAT;
    if (input.values && (!real || isOfReals(operation))) {
        followElements(context.pool, output, [&](Position const& at) {
            return (real ? applyReal : apply)(context.pool, operation,
                                              valueAt(context.pool, input, at));
        });
    }
}

void registerOp_unary(OpRegistry& registry) {
    registry.add(Unary::kKind, &Unary::load);
}

} // namespace kiln::graph
