// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/program.h"
#include "graph/ops/attention.h"

namespace kiln::compiler {

/// Steps that compute an attention: two products with a softmax between, and the scales, the mask
/// and the transposes around them.
struct AttentionMatch {
    /// Where Q, K or V lies.
    struct Source {
        ValueId value = ValueId::kNone;
        /// If there is one, the operand is what this Shuffle gives without its second transpose.
        StepId reshape = StepId::kNone;
    };

    graph::Attention op;
    std::array<Source, 3> sources;
    ValueId mask = ValueId::kNone;
    StepId product = StepId::kNone; ///< the second product
    /// The Shuffle behind it whose (first) transpose the op does; kNone: none.
    StepId transpose = StepId::kNone;
    /// All that the op replaces if nothing else reads it, in no order; the product is among them.
    std::vector<StepId> steps;
};

/// The attention whose second product is this step.
std::optional<AttentionMatch> matchAttention(Program const& program, StepId product);

} // namespace kiln::compiler
