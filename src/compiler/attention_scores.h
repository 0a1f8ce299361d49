// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compiler/attention_mask.h"

namespace kiln::compiler {

/// scale * product + masks, with casts between: what the softmax of an attention reads. The scale
/// is below the masks.
struct AttentionScores {
    StepId product = StepId::kNone;
    double scale = 1.0;
    std::vector<AttentionMasks::Mask> masks;
    std::vector<StepId> steps; ///< that it went through, and the product
};

std::optional<AttentionScores> attentionScores(Program const& program, ElementRules& rules,
                                               ValueId value);

/// The producer of a value that only this many operands read; null if there is none.
Step const* privateProducer(Program const& program, ValueId value, std::size_t readers = 1);

/// The value in front of casts between floating-point types: kernels compute in float32. Adds the
/// casts to `steps`.
ValueId withoutFloatCasts(Program const& program, ValueId value, std::vector<StepId>& steps);

} // namespace kiln::compiler
