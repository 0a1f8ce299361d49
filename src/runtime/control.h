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

bool hasControl(plan::Document const& document);

/// Throws kCorruptData for a loop whose number of passes has no bound over the profiles, and for a
/// step in a body that finds sizes: extents would change from pass to pass.
void checkControl(plan::Document const& document, SizePoints const& points);

/// Stands for a control step among the kernels of a context, which runs its bodies itself.
std::unique_ptr<target::KernelInstance> makeControlInstance();

/// The loop or branch that the sizes found by a step decide, as stepName() names it; empty if there
/// is none.
std::string deciderAfter(plan::Document const& document, SizePoints const& points,
                         std::size_t step);

} // namespace kiln::runtime
