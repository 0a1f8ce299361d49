// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/expr_node.h"

namespace kiln::graph {

/// The value of an integer operation. Throws kInvalidArgument on overflow and on division by zero.
int64_t applyInteger(ExprOp op, int64_t a, int64_t b);

[[noreturn]] void failDivision(std::string const& dividend);

} // namespace kiln::graph
