// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/attention_source.h"
#include "compiler/element_rule.h"
#include "compiler/program.h"
#include "graph/ops/attention.h"

namespace kiln::compiler {

/// Steps that compute an attention: two products with a softmax between, and the scales, the masks
/// and the transposes around them.
struct AttentionMatch {
    graph::Attention op;
    std::array<AttentionSource, 3> sources;
    std::vector<ValueId> masks;     ///< of several, the op reads the sum, or what all of them keep
    StepId product = StepId::kNone; ///< the second product
    /// The Shuffle behind it whose (first) transpose the op does; kNone: none.
    StepId transpose = StepId::kNone;
    /// All that the op replaces if nothing else reads it, in no order; the product is among them.
    std::vector<StepId> steps;
};

/// The attention whose second product is this step.
std::optional<AttentionMatch> matchAttention(Program const& program, ElementRules& rules,
                                             StepId product);

} // namespace kiln::compiler
