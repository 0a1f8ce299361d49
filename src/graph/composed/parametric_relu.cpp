// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/parametric_relu.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;

void ParametricReLU::check(InferContext const& context) const {
    expectInputs(context, kKind, 2, 2);
    expectFloating(context, kKind);
    expectSameType(context, kKind);
    Dims const wanted = knownDims(context.pool, context.inputs[0].shape);
    Dims const got = knownDims(context.pool, context.inputs[1].shape);
    bool fits = got.nbDims == wanted.nbDims;
    for (int32_t i = 0; fits && i < got.nbDims; ++i) {
        fits = got.d[i] < 0 || got.d[i] == 1 || wanted.d[i] < 0 || got.d[i] == wanted.d[i];
    }
    if (!fits) {
        fail(
            ErrorKind::kInvalidArgument,
            "{}, slopes (input 1): expected the rank of the input {} and extents that are equal or "
            "1, got {}. Reshape them.",
            where(context, kKind), toText(wanted), toText(got));
    }
}

/// A selection, as slope * min(x, 0) + max(x, 0) is NaN for infinite slopes and numbers.
std::unique_ptr<Region> ParametricReLU::parts(InferContext const& context) const {
    Parts parts(context);
    int32_t const isBelow = parts.elementWise(ElementWiseOperation::kLESS, 0, parts.zeroLike(0));
    int32_t const scaled = parts.elementWise(ElementWiseOperation::kPROD, 0, 1);
    return parts.finish({parts.select(isBelow, scaled, 0)});
}

} // namespace kiln::graph
