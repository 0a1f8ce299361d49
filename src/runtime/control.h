// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/size_points.h"
#include "target/kernel.h"

namespace kiln::runtime {

/// A loop of more passes is refused: its count is damaged, or an input without bounds.
inline constexpr int64_t kMostPasses = INT32_MAX;

/// Whether a condition that must hold is known before the run, so that nothing is left for a step.
bool isCheckedBefore(plan::ControlRecord const& control);

/// Whether a run decides anything.
bool hasControl(plan::Document const& document);

/// Throws kCorruptData for a loop whose number of passes has no bound over the profiles, and for a
/// step in a body that finds sizes: extents would change from pass to pass.
void checkControl(plan::Document const& document, SizePoints const& points);

/// Stands for a control step among the kernels of a context, which runs its bodies itself.
std::unique_ptr<target::KernelInstance> makeControlInstance(plan::ControlRecord const& control);

/// The loop or branch that the sizes found by a step decide, as stepName() names it; empty if there
/// is none.
std::string deciderAfter(plan::Document const& document, SizePoints const& points,
                         std::size_t step);

} // namespace kiln::runtime
