// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/ragged_softmax.h"

#include "graph/ops/fill.h"
#include "graph/ops/softmax.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;

void RaggedSoftMax::check(InferContext const& context) const {
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
}

std::unique_ptr<Region> RaggedSoftMax::parts(InferContext const& context) const {
    Parts parts(context);
    DataType const type = context.inputs[0].type;
    DataType const whole = context.inputs[kBounds].type;
    int32_t const rank = parts.rank(0);
    // 0, 1, 2 ... along the rows.
    Parts::Extent const length = Parts::Extent::ofAxis(rank - 1);
    int64_t const known = context.pool.constantOr(context.inputs[0].shape[rank - 1]);
    int32_t places = 0;
    if (known >= 0) {
        places = parts.range(0, 1, known, whole);
    } else {
        Fill fill;
        fill.type = whole;
        fill.isWhole = true;
        places = parts.add(fill, {parts.extents(0, {&length, 1})});
    }
    places = parts.spread(places, rank, rank - 1);
    int32_t const counts = parts.elementWise(ElementWiseOperation::kLESS, places, kBounds);
    // Minus infinity; fills have finite numbers.
    int32_t const lowest = parts.elementWise(ElementWiseOperation::kDIV,
                                             parts.number(-1.0, type, rank), parts.zeroLike(0));
    SoftMax softmax;
    softmax.axes = 1U << (rank - 1);
    int32_t const result = parts.add(softmax, {parts.select(counts, 0, lowest)});
    return parts.finish({parts.select(counts, result, parts.zeroLike(0))});
}

} // namespace kiln::graph
