// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/softmax.h"

#include <bit>

#include "graph/op_registry.h"

namespace kiln::graph {

int32_t SoftMax::axisFor(int32_t rank) const {
    return std::countr_zero(axesFor(rank));
}

std::string SoftMax::problem() const {
    return axes == 0 || std::has_single_bit(axes)
               ? std::string()
               : fmt::format("expected axes with one bit set, got {:#x}.", axes);
}

void SoftMax::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    expectFloating(context, kKind);
    int32_t const rank = context.inputs[0].shape.rank;
    if (rank == 0 || axisFor(rank) >= rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected axes to select a dimension below {}, got bit {}. Set axes to 1 << "
             "dimension.",
             where(context, kKind), rank, axisFor(rank));
    }
    context.outputs[0].type = context.inputs[0].type;
    context.outputs[0].shape = context.inputs[0].shape;
}

void registerOp_softmax(OpRegistry& registry) {
    registry.add(SoftMax::kKind, &SoftMax::load);
}

} // namespace kiln::graph
