// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/parts.h"

namespace kiln::graph {

/// A sequence that is split over several devices, as operations: each rank has the part that its
/// number says, and all parts have the same extents.

/// The whole sequence on each rank: [batch, heads, length, size] of each rank gives
/// [batch, heads, ranks * length, size].
int32_t gatheredSequence(Parts& parts, ExprPool const& pool, int32_t value, int32_t ranks);

/// How many elements of the sequence are in front of the part of this rank, for parts of `length`
/// elements, an int64 [1]: int64 [1, 1, 1, 1]. Known when the engine runs, from the communicator.
int32_t firstOfRank(Parts& parts, int32_t length, int32_t ranks);

} // namespace kiln::graph
