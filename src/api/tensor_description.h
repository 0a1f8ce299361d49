// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "plan/document.h"

namespace kiln::api {

/// All tensors of a plan, by number: role, type, format, the shape and bytes at the optimum of the
/// first profile, and for internal ones the place in the arena and the steps that need it.
Json tensorsOf(plan::Document const& document);

} // namespace kiln::api
