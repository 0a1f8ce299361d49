// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/pointwise/tail.h"

#include <algorithm>

namespace kiln::targets::cpu {

Tail tailOf(graph::Region const& region, std::size_t last) {
    Tail tail;
    if (region.nodes().size() < last + 2) {
        return tail;
    }
    for (std::size_t i = last + 1; i < region.nodes().size(); ++i) {
        for (int32_t const value : region.nodes()[i].inputs) {
            bool const known =
                std::find(tail.inputs.begin(), tail.inputs.end(), value) != tail.inputs.end();
            if (value >= 0 && value < region.inputCount() && !known) {
                tail.inputs.push_back(value);
            }
        }
    }
    auto const count = static_cast<int32_t>(tail.inputs.size()) + 1;
    auto const numberOf = [&](int32_t value) {
        if (value < 0) {
            return graph::Region::kAbsent;
        }
        if (value >= region.inputCount()) {
            int32_t const behind = value - region.firstOutput(last) - 1;
            return behind < 0 ? 0 : behind + count;
        }
        auto const at = std::find(tail.inputs.begin(), tail.inputs.end(), value);
        return static_cast<int32_t>(at - tail.inputs.begin()) + 1;
    };
    tail.region = std::make_unique<graph::Region>(count);
    for (std::size_t i = last + 1; i < region.nodes().size(); ++i) {
        std::vector<int32_t> inputs;
        for (int32_t const value : region.nodes()[i].inputs) {
            inputs.push_back(numberOf(value));
        }
        tail.region->add(region.nodes()[i].op->clone(), std::move(inputs));
    }
    std::vector<int32_t> results;
    for (int32_t const result : region.results()) {
        results.push_back(numberOf(result));
    }
    tail.region->setResults(std::move(results));
    return tail;
}

} // namespace kiln::targets::cpu
