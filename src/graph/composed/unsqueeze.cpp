// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/unsqueeze.h"

#include <algorithm>

#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

/// The rank of the output: one more for each axis.
int32_t outputRank(InferContext const& context) {
    auto const axes = constantValues(context.pool, context.inputs[1]);
    return context.inputs[0].shape.rank + static_cast<int32_t>(axes ? axes->size() : 0);
}

} // namespace

void Unsqueeze::check(InferContext const& context) const {
    expectInputs(context, kKind, 2, 2);
    int32_t const rank = outputRank(context);
    if (rank > Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an output of at most {} axes, got {}. Insert fewer.",
             where(context, kKind), static_cast<int32_t>(Dims::MAX_DIMS), rank);
    }
    static_cast<void>(listedAxes(context, kKind, 1, rank));
}

std::unique_ptr<Region> Unsqueeze::parts(InferContext const& context) const {
    Parts parts(context);
    int32_t const rank = outputRank(context);
    std::vector<int32_t> const axes = listedAxes(context, kKind, 1, rank);
    std::vector<Parts::Extent> extents;
    int32_t next = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
        bool const isNew = std::find(axes.begin(), axes.end(), axis) != axes.end();
        extents.push_back(isNew ? Parts::Extent::of(1) : Parts::Extent::ofAxis(next++));
    }
    return parts.finish({parts.reshape(0, extents)});
}

} // namespace kiln::graph
