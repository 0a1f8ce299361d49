// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kiln::compiler {

/// Numbers 0 .. count - 1 such that each stands behind those that `before` lists for it, otherwise
/// in the order of the numbers. Calls onCycle(number) for one that would stand behind itself, which
/// must throw. Iterative, because chains may be long.
std::vector<std::size_t> orderedBy(std::vector<std::vector<std::size_t>> const& before,
                                   std::function<void(std::size_t)> const& onCycle);

} // namespace kiln::compiler
