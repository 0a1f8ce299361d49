// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/document.h"
#include "runtime/launches.h"

// Finds the cause of device errors. Work on a device fails after the call that started it, so an
// error appears at a later call. Messages name the plugins of the engine first; KILN_SYNC=1 waits
// for every layer.
namespace kiln::runtime {

/// "layer 'x', plugin P (version 1)" or "layer 'x' (kernel cuda/y)".
std::string stepName(plan::Document const& document, std::size_t step);

/// The device's text, and the plugins that may have caused the failure.
std::string withSuspects(plan::Document const& document, std::string const& text);

/// Call it while the error is handled. Rethrows the error or, if it is a device error without a
/// source, throws one that names the possible causes.
[[noreturn]] void blame(plan::Document const& document, Error const& error);

/// Throws if a kernel of a finished run found invalid operands.
void reportFaults(plan::Document const& document, Launches const& launches);

} // namespace kiln::runtime
