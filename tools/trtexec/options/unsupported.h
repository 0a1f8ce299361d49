// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::trtexec {

/// Whether `name` (with its dashes, without value) is an option that trtexec has for TensorRT 10.x
/// and that Kiln does not have yet.
bool isUnsupportedOption(std::string_view name);

/// Up to three of `names` that differ from `name` by a slip or two of the keyboard; nearest first.
std::vector<std::string> nearNames(std::string_view name, std::vector<std::string> const& names);

} // namespace kiln::trtexec
