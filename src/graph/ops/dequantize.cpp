// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dequantize.h"

#include "graph/op_registry.h"

namespace kiln::graph {

std::string Dequantize::problem() const {
    if (!isFloating(toType)) {
        return fmt::format("expected an output type of FLOAT, HALF or BF16, got {}.",
                           isMember(toType) ? std::string(nameOf(toType))
                                            : std::to_string(static_cast<int32_t>(toType)));
    }
    return scaleShapeProblem(axis, blockShape);
}

void Dequantize::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 3);
    DataType const type = context.inputs[0].type;
    if (!isQuantized(type) && type != DataType::kINT32) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input of int8, uint8, fp8, int4, fp4 or int32, got {}. Add a "
             "quantize layer in front of it.",
             where(context, kKind), nameOf(type));
    }
    checkScale(context, kKind, scaleShape(), type);
    context.outputs[0].type = toType;
    context.outputs[0].shape = context.inputs[0].shape;
}

TypeRule Dequantize::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed; // the user chooses both types
}

void registerOp_dequantize(OpRegistry& registry) {
    registry.add(Dequantize::kKind, &Dequantize::load);
}

} // namespace kiln::graph
