// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/ptx_tokens.h"

#include <algorithm>

namespace kiln::plugin {
namespace {

bool isWordCharacter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

} // namespace

void PtxTokens::passBlanks() noexcept {
    std::size_t const start = at_;
    while (at_ < text_.size()) {
        std::string_view const rest = text_.substr(at_);
        std::string_view end;
        if (rest.starts_with("//")) {
            end = "\n";
        } else if (rest.starts_with("/*")) {
            end = "*/";
        } else if (rest.front() == '"') {
            end = "\"";
        } else if (static_cast<unsigned char>(rest.front()) <= ' ') {
            ++at_;
            continue;
        } else {
            break;
        }
        std::size_t const begin = end == "\"" ? 1 : 2; // length of the opening mark
        std::size_t const found = rest.find(end, begin);
        at_ = found == std::string_view::npos ? text_.size() : at_ + found + end.size();
    }
    line_ +=
        static_cast<int32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(start),
                                        text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
}

std::string_view PtxTokens::next() noexcept {
    passBlanks();
    if (at_ >= text_.size()) {
        return {};
    }
    std::size_t end = at_;
    while (end < text_.size() && isWordCharacter(text_[end])) {
        ++end;
    }
    end = std::max(end, at_ + 1);
    std::string_view const word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
}

bool PtxTokens::skip(std::string_view word) noexcept {
    PtxTokens ahead(*this);
    if (ahead.next() != word) {
        return false;
    }
    *this = ahead;
    return true;
}

} // namespace kiln::plugin
