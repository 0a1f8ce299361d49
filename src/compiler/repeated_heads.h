// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// A tensor that repeats each element along an axis of another one, neighbours first: heads of keys
/// for several heads of queries.
struct Repetition {
    ValueId source = ValueId::kNone; ///< of the same rank
    std::vector<StepId> steps;
};

/// What a value repeats along an axis; nullopt if it does not. `shape` is that of the value, with
/// its axes in the order before the last transpose of the Shuffle that makes it.
std::optional<Repetition> repeatedAlong(Program const& program, ValueId value,
                                        graph::ShapeExpr const& shape, int32_t axis);

} // namespace kiln::compiler
