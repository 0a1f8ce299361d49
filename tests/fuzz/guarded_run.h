// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "plan/document.h"

namespace kiln::test {

/// Plans that need more memory are not run: they are no defect, but cost time.
inline constexpr uint64_t kMostBytes = uint64_t{1} << 20U;

/// Opens a plan, and runs it once under each profile at its largest shapes. Inputs, outputs and the
/// arena lie between inaccessible pages. Plans with ahead-of-time code are opened but not run,
/// because that code belongs to the plan's author. Throws what the engine and the context throw.
void openAndRunGuarded(Bytes const& plan);

} // namespace kiln::test
