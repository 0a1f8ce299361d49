// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side of kernels/words.cuh.
#pragma once

#include <cstdint>

#include "backends/cuda/kernel_launch.h"

namespace kiln::backends::cuda {

constexpr int32_t kWordThreads = 256;
constexpr int64_t kTileWords = 4 * kWordThreads;

/// Whether positions in an output of so many elements, and those of the last tile, fit 32 bits.
constexpr bool fitsNarrow(int64_t elements) noexcept {
    return elements <= INT32_MAX - 2 * 16 * kTileWords;
}

/// Blocks for fillWords() over `count` elements of `bytes` each. The output may begin anywhere in
/// its first word, so there is one word more.
inline GridLaunch launchWords(std::string_view function, int64_t count, int64_t bytes) {
    int64_t const perWord = 16 / bytes;
    int64_t const words = count == 0 ? 0 : count / perWord + 2;
    return {function, (words + kTileWords - 1) / kTileWords, 1, 1, kWordThreads};
}

/// Blocks for fillElements().
inline GridLaunch launchElements(std::string_view function, int64_t count) {
    return {function, count / kTileWords + (count % kTileWords != 0 ? 1 : 0), 1, 1, kWordThreads};
}

} // namespace kiln::backends::cuda
