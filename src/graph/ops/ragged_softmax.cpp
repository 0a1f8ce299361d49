// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/ragged_softmax.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void RaggedSoftMax::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    expectFloating(context, kKind);
    TensorFacts const& data = context.inputs[0];
    TensorFacts const& bounds = context.inputs[kBounds];
    Dims const rows = knownDims(context.pool, data.shape);
    Dims const got = knownDims(context.pool, bounds.shape);
    bool const counts = bounds.type == DataType::kINT32 || bounds.type == DataType::kINT64;
    bool fits = counts && rows.nbDims >= 2 && got.nbDims == rows.nbDims;
    for (int32_t axis = 0; fits && axis < rows.nbDims; ++axis) {
        int64_t const wanted = axis + 1 == rows.nbDims ? 1 : rows.d[axis];
        fits = wanted < 0 || got.d[axis] < 0 || got.d[axis] == wanted;
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected rows of rank 2 or more and int32 or int64 bounds with one entry for "
             "each of them, got {} and {} {}. Reshape or cast them.",
             where(context, kKind), toText(rows), nameOf(bounds.type), toText(got));
    }
    context.outputs[0].type = data.type;
    context.outputs[0].shape = data.shape;
}

void registerOp_ragged_softmax(OpRegistry& registry) {
    registry.add(RaggedSoftMax::kKind, &RaggedSoftMax::load);
}

} // namespace kiln::graph
