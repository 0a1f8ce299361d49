// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/unique.h"

#include "graph/op_registry.h"

namespace kiln::graph {

std::string Unique::problem() const {
    constexpr int32_t kMost = Dims::MAX_DIMS;
    return axis >= -1 && axis < kMost
               ? std::string()
               : fmt::format("expected an axis from -1 to {}, got {}.", kMost - 1, axis);
}

void Unique::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    ExprPool& pool = context.pool;
    ShapeExpr const& input = context.inputs[0].shape;
    DataType const type = context.inputs[0].type;
    if (bitsOf(type) % 8 != 0 || type == DataType::kFP8 || type == DataType::kE8M0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected numbers of whole bytes that can be compared, got {}. Add a cast layer.",
             where(context, kKind), nameOf(type));
    }
    if (axis >= input.rank && axis >= 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis from -1 to {} for {}, got {}. Set another axis.",
             where(context, kKind), input.rank - 1, toText(knownDims(pool, input)), axis);
    }
    ExprRef count = pool.constant(1);
    for (int32_t i = 0; i < input.rank; ++i) {
        if (axis < 0 || i == axis) {
            count = pool.binary(ExprOp::kProd, count, input[i]);
        }
    }
    ExprRef const half = pool.binary(ExprOp::kCeilDiv, count, pool.constant(2));
    ExprRef const found = context.declareSize(0, half, count);
    for (TensorFacts& output : context.outputs) {
        output.type = DataType::kINT64;
        output.shape.rank = 1;
        output.shape[0] = found;
    }
    context.outputs[kInverse].shape[0] = count;
    TensorFacts& elements = context.outputs[kElements];
    elements.type = type;
    if (axis >= 0) {
        elements.shape = input;
        elements.shape[axis] = found;
    }
}

void registerOp_unique(OpRegistry& registry) {
    registry.add(Unique::kKind, &Unique::load);
}

} // namespace kiln::graph
