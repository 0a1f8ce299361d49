// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kiln::trtexec {
namespace {

/// Levenshtein distance, case-insensitive.
size_t distance(std::string_view a, std::string_view b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i);
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t const replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::vector<std::string> nearNames(std::string_view name, std::vector<std::string> const& names) {
    std::vector<std::pair<size_t, std::string>> ranked;
    size_t const limit = std::max<size_t>(1, name.size() / 4);
    for (std::string const& candidate : names) {
        size_t const apart = distance(name, candidate);
        if (apart <= limit) {
            ranked.emplace_back(apart, candidate);
        }
    }
    std::sort(ranked.begin(), ranked.end());
    ranked.resize(std::min<size_t>(ranked.size(), 3));
    std::vector<std::string> near;
    for (auto& entry : ranked) {
        near.push_back(std::move(entry.second));
    }
    return near;
}

} // namespace kiln::trtexec
