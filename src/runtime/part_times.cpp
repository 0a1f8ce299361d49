// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/part_times.h"

#include <algorithm>

#include <fmt/core.h>

namespace kiln::runtime {

void PartTimes::add(std::string_view verb, std::string_view object) {
    std::string part = object.empty() ? std::string(verb) : fmt::format("{} {}", verb, object);
    Clock::time_point const now = Clock::now();
    double const passed = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    auto const known = std::find_if(parts_.begin(), parts_.end(),
                                    [&](auto const& entry) { return entry.first == part; });
    if (known != parts_.end()) {
        known->second += passed;
    } else {
        parts_.emplace_back(std::move(part), passed);
    }
}

std::string PartTimes::text() const {
    auto sorted = parts_;
    std::sort(sorted.begin(), sorted.end(),
              [](auto const& a, auto const& b) { return a.second > b.second; });
    double all = 0.0;
    std::string text;
    for (auto const& [part, milliseconds] : sorted) {
        all += milliseconds;
        text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", part, milliseconds);
    }
    return fmt::format("{:.2f} ms: {}", all, text);
}

} // namespace kiln::runtime
