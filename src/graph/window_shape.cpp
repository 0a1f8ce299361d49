// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/window_shape.h"

namespace kiln::graph {

ShapeExpr windowShape(InferContext const& context, std::string_view kind, Window const& window,
                      ExprRef channels) {
    ShapeExpr const& input = context.inputs[0].shape;
    if (input.rank != 2 + window.size.nbDims) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected input 0 of rank {} (batch, channels and {} spatial axes), got {}. "
             "Reshape it.",
             where(context, kind), 2 + window.size.nbDims, window.size.nbDims,
             toText(knownDims(context.pool, input)));
    }
    ShapeExpr output;
    output.rank = input.rank;
    output[0] = input[0];
    output[1] = channels;
    for (int32_t axis = 0; axis < window.size.nbDims; ++axis) {
        ExprRef const extent = window.output(context.pool, axis, input[2 + axis]);
        output[2 + axis] = extent;
        int64_t const least = window.computesPadding() ? 0 : 1;
        if (context.pool.isConstant(extent) && context.pool.constantOr(extent) < least) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, spatial axis {}: expected a window of {} to fit the padded input, got {} + "
                 "{} + {}. Shrink the window or pad more.",
                 where(context, kind), axis, window.span(axis),
                 context.pool.constantOr(input[2 + axis]), window.prePadding.d[axis],
                 window.postPadding.d[axis]);
        }
    }
    return output;
}

} // namespace kiln::graph
