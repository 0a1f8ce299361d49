// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/attention_result.h"

#include "graph/op_registry.h"
#include "graph/parts.h"

namespace kiln::graph {

void AttentionResult::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    context.outputs[0] = context.inputs[0];
}

std::unique_ptr<Region> AttentionResult::parts(InferContext const& context) const {
    return Parts(context).finish({0});
}

void registerOp_attention_result(OpRegistry& registry) {
    registry.add(AttentionResult::kKind, &AttentionResult::load);
}

} // namespace kiln::graph
