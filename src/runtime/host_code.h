// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shared_object.h"
#include "plan/document.h"

namespace kiln::runtime {

/// Whether host code of a plan (libraries, ahead-of-time code for the CPU) may run, and how it may
/// be passed to the loader.
struct HostCode {
    bool allowed = false;
    HandOver ways;
};

/// Throws kInvalidState, with a list, if the plan contains host code that may not run.
void checkHostCode(plan::Document const& document, HostCode const& hostCode);

} // namespace kiln::runtime
