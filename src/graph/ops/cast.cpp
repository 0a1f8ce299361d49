// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cast.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void Cast::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    context.outputs[0].type = toType;
    context.outputs[0].shape = context.inputs[0].shape;
}

TypeRule Cast::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed; // both types are the user's choice
}

void registerOp_cast(OpRegistry& registry) {
    registry.add(Cast::kKind, &Cast::load);
}

} // namespace kiln::graph
