// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cpu/winograd/convolution.h"

namespace kiln::targets::cpu {

/// Tiles of a block, so that its points stay near the processor.
int64_t mostWinogradTiles(int64_t side, int64_t channels) noexcept;

/// Places in the memory of a slot, in floats.
struct BlockMemory {
    BlockMemory(int64_t side, int64_t channels) noexcept;

    int64_t patch = 0;  ///< pixels of the input, then of the output
    int64_t inputs = 0; ///< points of the input: [points][tiles][channels]
    int64_t sums = 0;   ///< points of the output: [points][tiles][kWinogradMaps]
    int64_t pointStep = 0;
    int64_t sumStep = 0;
    int64_t total = 0;
};

} // namespace kiln::targets::cpu
