// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "plan/document.h"

namespace kiln::api {

/// What a kernel computes: the name of one operation, or of those of a region.
Json operationsOf(target::KernelRecord const& kernel);

/// The kernels that were considered for a step, with times or refusals; empty unless the plan was
/// built with detailed verbosity.
Json candidatesOf(plan::StepRecord const& step);

} // namespace kiln::api
