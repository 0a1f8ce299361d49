// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reformat.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void Reformat::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    context.outputs[0] = context.inputs[0];
}

void registerOp_reformat(OpRegistry& registry) {
    registry.add(Reformat::kKind, &Reformat::load);
}

} // namespace kiln::graph
