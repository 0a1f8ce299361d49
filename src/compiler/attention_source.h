// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/program.h"
#include "graph/ops/attention.h"

namespace kiln::compiler {

/// Where an attention finds Q, K or V: furthest up, behind transposes, scales and repetitions of
/// heads that the attention does itself.
struct AttentionSource {
    ValueId value = ValueId::kNone;
    /// If there is one, the operand is what this Shuffle gives without its second transpose.
    StepId reshape = StepId::kNone;
    graph::Attention::Layout layout{};
    int64_t offset = 0; ///< the first channel, in the layout kJoined
    int64_t heads = 1;  ///< -1: unknown
    int64_t size = -1;  ///< channels of one head; -1: unknown
    double factor = 1.0;
    std::vector<StepId> steps; ///< that it went through
};

/// Which steps a source may lie behind.
struct AttentionSourceRules {
    bool scales = true;  ///< products with a scalar
    bool repeats = true; ///< copies of heads for those of the query
};

/// The source of an operand with these axes: b(atch), h(ead), s (length), d (channel), as "bhsd".
std::optional<AttentionSource> attentionSource(Program const& program, ValueId operand,
                                               std::string axes, AttentionSourceRules rules);

/// c of x * c and c * x, 1 / c of x / c.
std::optional<double> scalarFactor(Program const& program, Step const& step);
/// x of the above, if it has the shape of the result.
std::optional<ValueId> withoutFactor(Program const& program, Step const& step);

} // namespace kiln::compiler
