// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/quantize.h"

#include "graph/op_registry.h"

namespace kiln::graph {

std::string Quantize::problem() const {
    if (!isQuantized(toType)) {
        return fmt::format("expected an output type of INT8, UINT8, FP8, INT4 or FP4, got {}.",
                           isMember(toType) ? std::string(nameOf(toType))
                                            : std::to_string(static_cast<int32_t>(toType)));
    }
    return scaleShapeProblem(axis, blockShape);
}

void Quantize::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 3);
    expectFloating(context, kKind);
    checkScale(context, kKind, scaleShape(), toType);
    context.outputs[0].type = toType;
    context.outputs[0].shape = context.inputs[0].shape;
}

TypeRule Quantize::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(inputCount);
    return operand == 0 ? TypeRule::kCompute : TypeRule::kFixed;
}

void registerOp_quantize(OpRegistry& registry) {
    registry.add(Quantize::kKind, &Quantize::load);
}

} // namespace kiln::graph
