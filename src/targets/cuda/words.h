// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of kernels/words.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include "target/candidate.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

constexpr int32_t kWordThreads = 256;
constexpr int64_t kTileWords = 4 * kWordThreads;

/// Whether positions in an output of `elements` elements, including the last tile, fit 32 bits.
constexpr bool fitsNarrow(int64_t elements) noexcept {
    return elements <= INT32_MAX - 2 * 16 * kTileWords;
}

/// Whether a kernel for the node needs functions with 64-bit positions: at the largest shapes some
/// operand, times `padding`, does not fit 32 bits. These functions take long to compile.
inline bool needsWide(target::NodeSpec const& node, int64_t padding = 1) {
    auto const wide = [&](target::OperandSpec const& operand) {
        int64_t count = padding;
        for (int32_t i = 0; i < operand.max.nbDims; ++i) {
            if (operand.max.d[i] < 0 ||
                __builtin_mul_overflow(count, std::max<int64_t>(operand.max.d[i], 1), &count)) {
                return true;
            }
        }
        return !fitsNarrow(count);
    };
    return std::any_of(node.inputs.begin(), node.inputs.end(), wide) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), wide);
}

/// Blocks for fillWords() over `count` elements of `bytes` each. The output may begin anywhere in
/// its first word, which needs one more word.
inline GridLaunch launchWords(std::string_view function, int64_t count, int64_t bytes) {
    int64_t const perWord = 16 / bytes;
    int64_t const words = count == 0 ? 0 : count / perWord + 2;
    return {function, (words + kTileWords - 1) / kTileWords, 1, 1, kWordThreads};
}

/// Blocks for fillElements().
inline GridLaunch launchElements(std::string_view function, int64_t count) {
    return {function, count / kTileWords + (count % kTileWords != 0 ? 1 : 0), 1, 1, kWordThreads};
}

} // namespace kiln::targets::cuda
