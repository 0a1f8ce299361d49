// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::runtime {

/// Where the time of opening an engine, or of its first run, goes, for a verbose message.
class PartTimes {
public:
    /// Adds the time since the last call, or since this object was made, to the part with this
    /// name.
    void add(std::string_view verb, std::string_view object = {});
    /// All parts, largest first: "3.1 ms: kernels 2.0, constants 1.1".
    std::string text() const;

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point last_ = Clock::now();
    std::vector<std::pair<std::string, double>> parts_; ///< milliseconds
};

} // namespace kiln::runtime
