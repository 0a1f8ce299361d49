// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::emulation {

/// Random numbers that depend on a seed alone (splitmix64).
class Chance {
public:
    explicit Chance(uint64_t seed) : state_(seed) {}

    /// A number from 0 to `count` - 1.
    unsigned below(unsigned count) {
        state_ += 0x9e3779b97f4a7c15ULL;
        uint64_t bits = state_;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
        return static_cast<unsigned>(((bits ^ bits >> 31) >> 32) * count >> 32);
    }

private:
    uint64_t state_;
};

/// Of KILN_EMULATION_ORDER; null if threads, blocks and streams take turns in order.
Chance* randomOrder();
/// Of KILN_EMULATION_TIMES; null if events measure time.
Chance* randomTimes();

} // namespace kiln::emulation
