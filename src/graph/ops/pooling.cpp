// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/pooling.h"

#include "graph/op_registry.h"
#include "graph/window_shape.h"

namespace kiln::graph {

std::string Pooling::problem() const {
    if (std::string text = enumProblem(type, "PoolingType"); !text.empty()) {
        return text;
    }
    if (!(blendFactor >= 0.0F && blendFactor <= 1.0F)) {
        return fmt::format("expected a blend factor in [0, 1], got {}.", blendFactor);
    }
    return window.problem();
}

void Pooling::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    for (int32_t axis = 0; axis < window.size.nbDims && !window.computesPadding(); ++axis) {
        if (window.prePadding.d[axis] >= window.size.d[axis] ||
            window.postPadding.d[axis] >= window.size.d[axis]) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected padding below the window {}, got {} before and {} after. Shrink the "
                 "padding.",
                 where(context, kKind), toText(window.size), toText(window.prePadding),
                 toText(window.postPadding));
        }
    }
    TensorFacts& output = context.outputs[0];
    output.type = expectFloating(context, kKind);
    output.shape = windowShape(context, kKind, window, context.inputs[0].shape[1]);
}

void registerOp_pooling(OpRegistry& registry) {
    registry.add(Pooling::kKind, &Pooling::load);
}

} // namespace kiln::graph
