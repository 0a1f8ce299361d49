// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "plan/document.h"

namespace kiln::test {

/// More memory than a mutation has to ask for; it would be no defect, but cost time.
inline constexpr uint64_t kMostBytes = uint64_t{1} << 20U;

/// Opens a plan, and runs it once under each profile at its largest shapes. Inputs, outputs and the
/// arena lie between pages that nobody may touch. Plans with ahead-of-time code are prepared but
/// not launched: their code is code of the plan's author. Throws what the engine and the context
/// throw.
void openAndRunGuarded(Bytes const& plan);

} // namespace kiln::test
