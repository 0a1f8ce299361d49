// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/assertion.h"

namespace kiln::graph {

void Assertion::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& facts = context.inputs[0];
    if (facts.type != DataType::kBOOL || facts.shape.rank > 1) {
        fail(ErrorKind::kInvalidArgument,
             "{}, condition (input 0): expected bool of rank 0 or 1, got {} {}. Compare, or reduce "
             "it.",
             where(context, kKind), nameOf(facts.type),
             toText(knownDims(context.pool, facts.shape)));
    }
}

} // namespace kiln::graph
