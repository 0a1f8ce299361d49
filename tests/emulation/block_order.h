// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "emulation/chance.h"

namespace kiln::emulation {

/// The order in which the blocks of a grid run: as they are numbered, or with any distance from one
/// to the next.
class BlockOrder {
public:
    BlockOrder(uint64_t count, Chance* chance) : count_(count) {
        if (chance != nullptr && count > 1) {
            auto const most = static_cast<unsigned>(std::min<uint64_t>(count, UINT32_MAX));
            first_ = chance->below(most);
            step_ = chance->below(most);
            while (std::gcd(step_, count) != 1) {
                ++step_;
            }
        }
    }
    uint64_t count() const { return count_; }
    uint64_t at(uint64_t i) const { return (first_ + i % count_ * (step_ % count_)) % count_; }

private:
    uint64_t count_;
    uint64_t first_ = 0;
    uint64_t step_ = 1;
};

} // namespace kiln::emulation
