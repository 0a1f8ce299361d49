// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/composed_op.h"

#include <algorithm>

#include "graph/shape_values.h"

namespace kiln::graph {

int32_t axisFromFront(InferContext const& context, std::string_view kind, int64_t axis,
                      int32_t rank) {
    if (axis < -rank || axis >= rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis from {} to {}, got {}. Set another axis.", where(context, kind),
             -rank, rank - 1, axis);
    }
    return static_cast<int32_t>(axis < 0 ? axis + rank : axis);
}

std::vector<int32_t> listedAxes(InferContext const& context, std::string_view kind,
                                std::size_t operand, int32_t rank) {
    TensorFacts const& facts = context.inputs[operand];
    auto const known = constantValues(context.pool, facts);
    if (!known || facts.type == DataType::kBOOL || facts.shape.rank > 1) {
        fail(
            ErrorKind::kInvalidArgument,
            "{}, axes (input {}): expected int32 or int64 constants of rank 0 or 1, got {} of rank "
            "{}{}. Use a constant layer.",
            where(context, kind), operand, nameOf(facts.type), facts.shape.rank,
            known ? "" : " that are no constants");
    }
    std::vector<int32_t> axes;
    for (int64_t const axis : *known) {
        int32_t const fromFront = axisFromFront(context, kind, axis, rank);
        if (std::find(axes.begin(), axes.end(), fromFront) != axes.end()) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, axes (input {}): expected different axes, got {} twice. List each once.",
                 where(context, kind), operand, axis);
        }
        axes.push_back(fromFront);
    }
    return axes;
}

} // namespace kiln::graph
