// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/nesting_order.h"

#include <cstdint>
#include <utility>

namespace kiln::compiler {

std::vector<std::size_t> orderedBy(std::vector<std::vector<std::size_t>> const& before,
                                   std::function<void(std::size_t)> const& onCycle) {
    enum class State : uint8_t { kNew, kOnPath, kPlaced };
    std::vector<State> states(before.size(), State::kNew);
    std::vector<std::size_t> order;
    std::vector<std::pair<std::size_t, std::size_t>>
        path; // a number, how many of its list are done
    for (std::size_t first = 0; first < before.size(); ++first) {
        if (states[first] != State::kNew) {
            continue;
        }
        path.emplace_back(first, 0);
        states[first] = State::kOnPath;
        while (!path.empty()) {
            auto& [at, done] = path.back();
            if (done == before[at].size()) {
                states[at] = State::kPlaced;
                order.push_back(at);
                path.pop_back();
                continue;
            }
            std::size_t const next = before[at][done++];
            if (states[next] == State::kOnPath) {
                onCycle(next);
            } else if (states[next] == State::kNew) {
                states[next] = State::kOnPath;
                path.emplace_back(next, 0);
            }
        }
    }
    return order;
}

} // namespace kiln::compiler
