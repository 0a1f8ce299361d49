// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// Problems of the ahead-of-time code in a plan: the build's checks of entries, parameters and
/// architectures. Does not need the device.
std::vector<std::string> codeProblems(Document const& document);

} // namespace kiln::plan
