// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of kernels/quantized_elements.cuh.
#pragma once

#include "graph/quantization.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

constexpr int64_t kQuantizedGroup = 8; ///< neighbours that a thread converts together
constexpr int64_t kGroupsAtOnce = 2;   ///< of a thread

struct QuantizedBlocks {
    int64_t count = 0;
    int32_t rank = 1;
    graph::ScaleBlocks::Loop loops[Dims::MAX_DIMS];
};

/// A launch of convertBlocks() over `count` elements.
inline GridLaunch launchConversion(std::string_view function, int64_t count) {
    constexpr int64_t kOfThread = kQuantizedGroup * kGroupsAtOnce;
    return launchOver(function, count / kOfThread + (count % kOfThread != 0 ? 1 : 0));
}

inline QuantizedBlocks quantizedBlocks(Dims const& data, Dims const& scale,
                                       graph::ScaleShape const& shape) {
    graph::ScaleBlocks const blocks = graph::scaleBlocks(data, scale, shape);
    QuantizedBlocks result;
    result.count = volume(data, "quantized tensor");
    result.rank = blocks.rank;
    for (int32_t i = 0; i < blocks.rank; ++i) {
        result.loops[i] = blocks.loops[static_cast<std::size_t>(i)];
    }
    return result;
}

} // namespace kiln::targets::cuda
