// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

std::string join(std::span<std::string const> parts, std::string_view separator);

/// The names among `known` that a misspelt `wanted` may have meant, nearest first, at most `most`:
/// equal but for case, or within a third of its length in edit distance.
std::vector<std::string> nearNames(std::string_view wanted, std::span<std::string const> known,
                                   std::size_t most = 3);

/// A null pointer from a C interface as the empty string.
inline char const* orEmpty(char const* text) noexcept {
    return text == nullptr ? "" : text;
}

} // namespace kiln
