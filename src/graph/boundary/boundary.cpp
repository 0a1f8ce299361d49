// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/boundary.h"

namespace kiln::graph {

TensorFacts dataOf(TensorFacts facts) {
    facts.values.reset();
    return facts;
}

void expectScalar(InferContext const& context, std::string_view kind, std::size_t operand,
                  std::string_view role, bool (*fits)(DataType), std::string_view types) {
    TensorFacts const& facts = context.inputs[operand];
    bool const one = facts.shape.rank == 0 ||
                     (facts.shape.rank == 1 && context.pool.constantOr(facts.shape[0]) == 1);
    if (!one || !fits(facts.type)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected a scalar of {}, got {} {}. Cast or reshape it.",
             where(context, kind), role, operand, types, nameOf(facts.type),
             toText(knownDims(context.pool, facts.shape)));
    }
}

} // namespace kiln::graph
