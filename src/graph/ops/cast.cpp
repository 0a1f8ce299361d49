// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cast.h"

#include "graph/op_registry.h"
#include "graph/real_values.h"
#include "graph/shape_values.h"

namespace kiln::graph {

void Cast::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& input = context.inputs[0];
    TensorFacts& output = context.outputs[0];
    output.type = toType;
    output.shape = input.shape;
    bool const real = input.type == DataType::kFLOAT;
    if (input.values && !(real && toType == DataType::kBOOL)) {
        followElements(context.pool, output, [&](Position const& at) {
            ExprRef const value = valueAt(context.pool, input, at);
            if (toType == DataType::kFLOAT) {
                return context.pool.unary(ExprOp::kToReal, value);
            }
            if (real) {
                return truncated(context.pool, value);
            }
            if (toType != DataType::kBOOL || input.type == DataType::kBOOL) {
                return value;
            }
            ExprPool& pool = context.pool;
            return negated(pool, pool.binary(ExprOp::kEqual, value, pool.constant(0)));
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
