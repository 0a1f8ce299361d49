// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/expr.h"
#include "plugin/code/code_record.h"

namespace kiln::plugin {

/// A request for ahead-of-time code.
struct CodeTarget {
    std::string target;       ///< "cpu", "cuda"
    std::string architecture; ///< "x86-64", "sm_90"
    int32_t inputs = 0;
    int32_t outputs = 0;
    std::vector<graph::ShapeExpr> shapes; ///< of the inputs
};

/// Checks the kernels of a plugin and fills in the properties of their images (kind, architecture,
/// PTX version, scratch pointers). Throws kInvalidArgument or kCorruptData. The text follows the
/// name of a callback: what was expected, what came, the remedy.
void checkAot(std::vector<AotKernel>& kernels, CodeTarget const& wanted,
              graph::ExprPool const& pool);

} // namespace kiln::plugin
