// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cast.h"

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

namespace {

/// The number as an element of type `to`; `from` is the type of the operand.
ExprRef converted(ExprPool& pool, ExprRef value, DataType from, DataType to) {
    bool const wasReal = from == DataType::kFLOAT;
    if (to == DataType::kFLOAT) {
        return wasReal ? value : pool.unary(ExprOp::kSingle, value);
    }
    if (wasReal) { // rounded towards zero
        ExprRef const zero = pool.constant(0);
        return pool.binary(ExprOp::kSum,
                           pool.binary(ExprOp::kMax, pool.unary(ExprOp::kFloor, value), zero),
                           pool.binary(ExprOp::kMin, pool.unary(ExprOp::kCeil, value), zero));
    }
    return to != DataType::kBOOL || from == DataType::kBOOL
               ? value
               : negated(pool, pool.binary(ExprOp::kEqual, value, pool.constant(0)));
}

} // namespace

void Cast::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& input = context.inputs[0];
    TensorFacts& output = context.outputs[0];
    output.type = toType;
    output.shape = input.shape;
    bool const asksReal = input.reals && toType == DataType::kBOOL;
    if (trackedValues(input) != nullptr && !asksReal) {
        followElements(context.pool, output, [&](Position const& at) {
            return converted(context.pool, valueAt(context.pool, input, at), input.type, toType);
        });
    }
}

TypeRule Cast::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed; // the user chooses both types
}

void registerOp_cast(OpRegistry& registry) {
    registry.add(Cast::kKind, &Cast::load);
}

} // namespace kiln::graph
