// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::trtexec {

/// Up to three of `names` with a small edit distance from `name`, nearest first.
std::vector<std::string> nearNames(std::string_view name, std::vector<std::string> const& names);

} // namespace kiln::trtexec
