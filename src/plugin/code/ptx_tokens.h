// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::plugin {

/// Splits PTX text into words: identifiers and numbers with their dots (".entry", "9.0", "%rd1"),
/// and single punctuation characters. Skips comments and quoted strings.
class PtxTokens {
public:
    explicit PtxTokens(std::string_view text) : text_(text) {}

    /// The next word; empty at the end.
    std::string_view next() noexcept;
    /// The next word, without consuming it.
    std::string_view peek() const noexcept { return PtxTokens(*this).next(); }
    /// Consumes the next word and returns true if it is `word`.
    bool skip(std::string_view word) noexcept;
    /// Line of the last word, from 1.
    int32_t line() const noexcept { return line_; }

private:
    void passBlanks() noexcept;

    std::string_view text_;
    std::size_t at_ = 0;
    int32_t line_ = 1;
};

} // namespace kiln::plugin
