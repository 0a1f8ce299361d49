// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/shape.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void Shape::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    ShapeExpr const& shape = context.inputs[0].shape;
    TensorFacts& output = context.outputs[0];
    output.type = DataType::kINT64;
    output.shape.rank = 1;
    output.shape[0] = context.pool.constant(shape.rank);
    output.values.emplace(shape.extent.begin(), shape.extent.begin() + shape.rank);
}

void registerOp_shape(OpRegistry& registry) {
    registry.add(Shape::kKind, &Shape::load);
}

} // namespace kiln::graph
