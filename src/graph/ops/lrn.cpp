// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/lrn.h"

#include <cmath>

#include "graph/op_registry.h"

namespace kiln::graph {

LRN::Planes LRN::planesOf(Dims const& dims) {
    Planes planes;
    int32_t const axis = dims.nbDims - 3;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        (i < axis ? planes.outer : i == axis ? planes.channels : planes.inner) *= dims.d[i];
    }
    return planes;
}

std::string LRN::problem() const {
    if (window < 1) {
        return fmt::format("expected a window of 1 channel or more, got {}.", window);
    }
    struct Parameter {
        char const* name;
        float value;
    };
    for (auto const& [name, value] : {Parameter{"alpha", alpha}, {"beta", beta}, {"k", k}}) {
        if (!std::isfinite(value)) {
            return fmt::format("expected a finite {}, got {}.", name, value);
        }
    }
    return {};
}

void LRN::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    expectFloating(context, kKind);
    TensorFacts const& input = context.inputs[0];
    if (input.shape.rank < 3) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input [..., channels, height, width] of rank 3 or more, got rank {}. "
             "Reshape it.",
             where(context, kKind), input.shape.rank);
    }
    context.outputs[0].type = input.type;
    context.outputs[0].shape = input.shape;
}

void registerOp_lrn(OpRegistry& registry) {
    registry.add(LRN::kKind, &LRN::load);
}

} // namespace kiln::graph
