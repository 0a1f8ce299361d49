// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compiler/program.h"

namespace kiln::compiler {

/// Where a Slice of neighbours along the last axis begins, which takes all of the other axes;
/// nullopt if the step is another one.
std::optional<int64_t> startOfSlice(Program const& program, Step const& step);

} // namespace kiln::compiler
