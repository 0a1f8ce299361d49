// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/non_zero.h"

#include "graph/op_registry.h"

namespace kiln::graph {

std::string NonZero::problem() const {
    return indexType == DataType::kINT32 || indexType == DataType::kINT64
               ? std::string()
               : fmt::format("expected indices of int32 or int64, got {}.",
                             isMember(indexType) ? nameOf(indexType) : "an unknown type");
}

void NonZero::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    ExprPool& pool = context.pool;
    ShapeExpr const& input = context.inputs[0].shape;
    ExprRef elements = pool.constant(1);
    for (int32_t axis = 0; axis < input.rank; ++axis) {
        elements = pool.binary(ExprOp::kProd, elements, input[axis]);
    }
    TensorFacts& output = context.outputs[0];
    output.type = indexType;
    output.shape.rank = 2;
    output.shape[0] = pool.constant(input.rank);
    ExprRef const half = pool.binary(ExprOp::kCeilDiv, elements, pool.constant(2));
    output.shape[1] = context.declareSize(0, half, elements);
}

TypeRule NonZero::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed; // a smaller type would make small numbers zero
}

uint64_t NonZero::significantBits(DataType type) noexcept {
    bool const hasSign = isFloating(type) || type == DataType::kFP8;
    return ~uint64_t{0} >> (64 - bitsOf(type)) >> (hasSign ? 1 : 0);
}

void registerOp_non_zero(OpRegistry& registry) {
    registry.add(NonZero::kKind, &NonZero::load);
}

} // namespace kiln::graph
