// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/element_rule.h"
#include "graph/ops/attention.h"

namespace kiln::compiler {

/// What hides keys from queries: masks, of which the causal rule is taken out.
struct AttentionMasks {
    /// How a mask acts on scores; in one attention all act alike.
    enum class Kind : uint8_t {
        kAdded,      ///< is added
        kKeeps,      ///< bool: other scores become -infinity
        kDrops,      ///< bool: these scores become -infinity
        kKeepsLarge, ///< as kKeeps with a large negative number, which only the causal rule may be
        kDropsLarge,
    };
    struct Mask {
        ValueId value = ValueId::kNone;
        Kind kind = Kind::kAdded;
    };

    std::vector<Mask> masks;
    graph::Attention::Causal causal = graph::Attention::Causal::kNone;
};

/// The masks of one attention with the causal rule instead of the triangle among them, also if the
/// triangle is one operand of the operation that makes a mask. Masks that hide nothing vanish.
/// nullopt if what is left cannot be the masks of one Attention.
std::optional<AttentionMasks> withCausalRule(Program const& program, ElementRules& rules,
                                             std::vector<AttentionMasks::Mask> masks,
                                             graph::ShapeExpr const& scores);

} // namespace kiln::compiler
