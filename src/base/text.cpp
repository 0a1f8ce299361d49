// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace kiln {
namespace {

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

} // namespace

std::string join(std::span<std::string const> parts, std::string_view separator) {
    std::string text;
    for (std::string const& part : parts) {
        text += text.empty() ? "" : separator;
        text += part;
    }
    return text;
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> parts;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? 0 : end + separator.size());
    }
    return parts;
}

std::vector<std::string> nearNames(std::string_view wanted, std::span<std::string const> known,
                                   std::size_t most) {
    std::string const low = lowered(wanted);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (std::string const& name : known) {
        std::size_t const distance = editDistance(low, lowered(name));
        if (distance <= std::max<std::size_t>(1, low.size() / 3)) {
            found.emplace_back(distance, name);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<std::string> names;
    for (auto const& entry : found) {
        if (names.size() < most) {
            names.push_back(entry.second);
        }
    }
    return names;
}

} // namespace kiln
