// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "target/workload/resize.h"

namespace kiln::targets::cpu {

/// One axis of a Resize with the samples of all its outputs.
struct ResizeAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t taps = 1;
    bool keeps = true;
    bool doubles = false;      ///< one sample, twice in a row each
    std::vector<int64_t> at;   ///< [taps][output]; empty if `keeps`
    std::vector<float> weight; ///< the same

    int64_t sample(int64_t tap, int64_t position) const noexcept {
        return keeps ? position : at[static_cast<std::size_t>(tap * output + position)];
    }
    float weightOf(int64_t tap, int64_t position) const noexcept {
        return keeps ? 1.0F : weight[static_cast<std::size_t>(tap * output + position)];
    }
};

struct ResizeState {
    int64_t outer = 1;
    int64_t inner = 1;
    std::vector<ResizeAxis> axes;
    int64_t bytes = 1; ///< of one element

    int64_t outputs() const noexcept; ///< elements
    /// Samples that one output reads.
    int64_t taps() const noexcept;
};

/// At least `least` axes; the first ones may have extent 1.
ResizeState resizeState(graph::Resize const& op, target::Workload const& workload,
                        std::size_t least);

} // namespace kiln::targets::cpu
