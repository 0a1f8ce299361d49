// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// What is wrong with the ahead-of-time code in a plan, found without its device: entries,
/// parameters and architectures, as they were checked when the plan was built.
std::vector<std::string> codeProblems(Document const& document);

} // namespace kiln::plan
