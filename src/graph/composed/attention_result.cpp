// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/attention_result.h"

namespace kiln::graph {

void AttentionResult::check(InferContext const& context) const {
    expectInputs(context, kKind, 1, 1);
}

std::unique_ptr<Region> AttentionResult::parts(InferContext const& context) const {
    return Parts(context).finish({0});
}

} // namespace kiln::graph
