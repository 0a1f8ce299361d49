// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/offer.h"

namespace kiln::compiler {

/// Steps that may become one region, in order of execution. Slices whose elements the others read
/// where they lie stand in front.
using Members = std::vector<StepId>;

bool isIn(Members const& members, StepId id);

/// Whether something besides the members needs a value.
bool isSeenOutside(Program const& program, Members const& members, ValueId id);

/// A region that does the work of the members. Its outputs are what is seen outside.
Step regionStep(Program const& program, Members const& members);

/// What the target offers for the region; a refusal also if its operations do not fit each other at
/// the bounds of all extents, for which kernels say how much memory they need. Two broadcast
/// operands may have bounds that no run has together.
Offer offerForRegion(Program const& program, Extents const& extents, Step const& region);

/// The slices along the last axis that only members read, each once.
Members slicesFor(Program const& program, Members const& members);

} // namespace kiln::compiler
