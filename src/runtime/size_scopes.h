// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"

namespace kiln::runtime {

/// A size that a step in a body finds is known in this body only: another pass finds another one,
/// and the body may not run at all. Throws kCorruptData if a step elsewhere has operands whose
/// extents or elements depend on it. Contexts rely on this: they prepare steps for known extents.
void checkSizeScopes(plan::Document const& document);

} // namespace kiln::runtime
