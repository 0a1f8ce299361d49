// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/identity.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void Identity::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    context.outputs[0] = context.inputs[0];
}

void registerOp_identity(OpRegistry& registry) {
    registry.add(Identity::kKind, &Identity::load);
}

} // namespace kiln::graph
