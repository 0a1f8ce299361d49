// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

std::string join(std::span<std::string const> parts, std::string_view separator);

/// The parts between separators: at least one, which may be empty.
std::vector<std::string> split(std::string_view text, std::string_view separator);

/// At most `most` names of `known` that a misspelt `wanted` may mean, nearest first. The edit
/// distance, ignoring case, is at most a third of the length of `wanted`, or 1.
std::vector<std::string> nearNames(std::string_view wanted, std::span<std::string const> known,
                                   std::size_t most = 3);

/// Converts a null pointer from a C interface to the empty string.
inline char const* orEmpty(char const* text) noexcept {
    return text == nullptr ? "" : text;
}

} // namespace kiln
