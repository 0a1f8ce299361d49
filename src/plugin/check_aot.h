// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/expr.h"
#include "plugin/code/code_record.h"

namespace kiln::plugin {

/// What ahead-of-time code was asked for.
struct CodeTarget {
    std::string target;       ///< "cpu", "cuda"
    std::string architecture; ///< "x86-64", "sm_90"
    int32_t inputs = 0;
    int32_t outputs = 0;
    std::vector<graph::ShapeExpr> shapes; ///< of the inputs
};

/// Checks the kernels that a plugin gave and completes what their images say of themselves (kind,
/// architecture, PTX version, scratch pointers). Throws kInvalidArgument in words that follow the
/// name of a callback: what was expected, what came, the remedy.
void checkAot(std::vector<AotKernel>& kernels, CodeTarget const& wanted,
              graph::ExprPool const& pool);

} // namespace kiln::plugin
