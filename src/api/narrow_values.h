// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kiln::api {

/// Copies values for the API's older functions, which return 32 bits. Returns the data of `kept`,
/// or null if a value does not fit.
inline int32_t const* narrowValues(std::span<int64_t const> values, std::vector<int32_t>& kept) {
    bool const fit = std::all_of(values.begin(), values.end(),
                                 [](int64_t value) { return std::in_range<int32_t>(value); });
    if (!fit) {
        return nullptr;
    }
    kept.assign(values.begin(), values.end());
    return kept.data();
}

} // namespace kiln::api
