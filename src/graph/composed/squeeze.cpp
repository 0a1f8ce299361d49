// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/squeeze.h"

#include <algorithm>

namespace kiln::graph {

void Squeeze::check(InferContext const& context) const {
    expectInputs(context, kKind, 2, 2);
    ShapeExpr const& shape = context.inputs[0].shape;
    for (int32_t const axis : listedAxes(context, kKind, 1, shape.rank)) {
        int64_t const extent = context.pool.constantOr(shape[axis]);
        if (extent >= 0 && extent != 1) {
            fail(
                ErrorKind::kInvalidArgument,
                "{}, axes (input 1): expected axes of extent 1, got axis {} of extent {}. Leave it "
                "out.",
                where(context, kKind), axis, extent);
        }
    }
}

std::unique_ptr<Region> Squeeze::parts(InferContext const& context) const {
    Parts parts(context);
    std::vector<int32_t> const axes = listedAxes(context, kKind, 1, parts.rank(0));
    std::vector<Parts::Extent> extents;
    for (int32_t axis = 0; axis < parts.rank(0); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
            extents.push_back(Parts::Extent::ofAxis(axis));
        }
    }
    return parts.finish({parts.reshape(0, extents)});
}

} // namespace kiln::graph
