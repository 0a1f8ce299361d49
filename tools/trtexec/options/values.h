// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kiln::trtexec {

// Each reads the value of one option, whole, or throws a Failure that names the option.

/// An integer of at least `least`.
int64_t parseCount(std::string_view option, std::string_view text, int64_t least);
/// A finite number that is not negative.
double parseAmount(std::string_view option, std::string_view text);
/// "90,95,99": numbers from 0 to 100.
std::vector<double> parsePercentiles(std::string_view option, std::string_view text);
/// "workspace:64M": the limit of the workspace pool in bytes. Suffix B, K, M (the default) or G.
size_t parseWorkspace(std::string_view option, std::string_view text);

} // namespace kiln::trtexec
