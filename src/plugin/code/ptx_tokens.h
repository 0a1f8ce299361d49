// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::plugin {

/// The words of PTX text, one after another: identifiers and numbers with their dots (".entry",
/// "9.0", "%rd1"), and single characters of punctuation. Comments and quoted texts are passed over.
class PtxTokens {
public:
    explicit PtxTokens(std::string_view text) : text_(text) {}

    /// The next word; empty at the end.
    std::string_view next() noexcept;
    /// The word that next() gives, which stays.
    std::string_view peek() const noexcept { return PtxTokens(*this).next(); }
    /// Whether the next word is this one; if so, it is passed.
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
