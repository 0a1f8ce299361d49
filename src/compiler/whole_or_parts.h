// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/kernel_choice.h"
#include "compiler/offer.h"

namespace kiln::compiler {

/// A step and what the target offers for it.
struct OfferedStep {
    Step const* step = nullptr;
    Offer offer;
};

/// Seconds of one step and of the steps that it would replace.
struct WholeOrParts {
    double whole = 0.0;
    double parts = 0.0;
    bool measured = false; ///< else estimates

    char const* source() const noexcept { return measured ? "measurement" : "estimates"; }
};

/// Compares estimates. If they are within a factor of two of each other and not tiny, and the host
/// runs the kernels, their measured times, which the timing cache holds; `chooser` null: never.
WholeOrParts compare(Program const& program, Extents const& extents, KernelChooser* chooser,
                     OfferedStep const& whole, std::vector<OfferedStep> const& parts);

} // namespace kiln::compiler
