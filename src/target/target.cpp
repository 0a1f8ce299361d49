// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/target.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace kiln::target {
namespace {

bool isWord(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

/// Compares the length first, so that sm_90 comes before sm_100.
bool older(std::string const& a, std::string const& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

} // namespace

std::string Target::text() const {
    return architectures.empty() ? name : name + ":" + join(architectures, "+");
}

std::string_view nameOfTarget(std::string_view text) noexcept {
    return text.substr(0, text.find(':'));
}

Target parseTarget(std::string_view text) {
    Target target{std::string(nameOfTarget(text)), {}};
    std::size_t at = target.name.size();
    auto const check = [&](std::string_view word, char const* what) {
        if (!isWord(word)) {
            fail(ErrorKind::kInvalidArgument,
                 "[target] '{}', character {}: expected {}, got '{}'. Write it as in cpu, "
                 "cuda:sm_90, cuda:sm_80+sm_90.",
                 text, at + 1, what, word);
        }
    };
    at = 0;
    check(target.name, "the name of a target");
    at = target.name.size() + 1;
    while (at <= text.size()) {
        std::string_view const rest = text.substr(at);
        std::string_view const word = rest.substr(0, rest.find('+'));
        check(word, "an architecture");
        target.architectures.emplace_back(word);
        at += word.size() + 1;
    }
    std::vector<std::string>& all = target.architectures;
    std::sort(all.begin(), all.end(), older);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return target;
}

} // namespace kiln::target
