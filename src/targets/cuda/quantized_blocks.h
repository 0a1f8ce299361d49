// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of kernels/scale_places.cuh and quantized_vectors.cuh.
#pragma once

#include <algorithm>

#include "graph/quantization.h"
#include "targets/cuda/fast_divide.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

constexpr int32_t kConversionThreads = 256;
constexpr int64_t kConversionSlots = 4; ///< vectors of a thread
constexpr int64_t kRowsOfThread = 16;   ///< as in kernels/quantized_columns.cuh

struct QuantizedBlocks {
    struct Loop {
        FastDivide extent;
        FastDivide block;
        int64_t stride = 0;
    };

    int64_t count = 0;
    int32_t rank = 1;
    int32_t across = 1;
    int32_t longRuns = 0;
    Loop loops[Dims::MAX_DIMS];

    Loop const& inner() const { return loops[rank - 1]; }
    bool hasOne() const { return rank == 1 && inner().stride == 0; }
    /// Whether `width` neighbours from a multiple of `width` on share a scale.
    bool hasRuns(int64_t width) const {
        return (rank == 1 || inner().extent.divisor % width == 0) &&
               inner().block.divisor % width == 0;
    }
    /// Whether each element of the innermost loop, which is of whole vectors, has its own scale.
    bool hasColumns(int64_t width) const {
        return inner().stride == 1 && inner().block.divisor == 1 &&
               inner().extent.divisor % width == 0;
    }
};

/// Elements of a vector whose wider type has `bytes` bytes.
constexpr int64_t vectorWidth(std::size_t bytes) noexcept {
    return 16 / static_cast<int64_t>(bytes);
}

/// Of the elements that a warp converts at once.
inline bool hasLongRuns(QuantizedBlocks const& blocks, int64_t width) {
    return blocks.hasRuns(width * kConversionSlots * 32);
}

/// A launch of convertElements() over `count` elements in vectors of `width`.
inline GridLaunch launchConversion(std::string_view function, int64_t count, int64_t width) {
    int64_t const ofThread = width * kConversionSlots;
    return launchOver(function, count / ofThread + (count % ofThread != 0 ? 1 : 0),
                      kConversionThreads);
}

/// A launch of convertColumns(); sets how its threads lie.
inline GridLaunch launchColumns(std::string_view function, QuantizedBlocks& blocks, int64_t width) {
    int64_t const vectors = blocks.inner().extent.divisor / width;
    int64_t const rows = blocks.count / std::max<int64_t>(blocks.inner().extent.divisor, 1);
    blocks.across =
        static_cast<int32_t>(std::clamp<int64_t>(vectors, 1, int64_t{kConversionThreads}));
    int64_t const down = kConversionThreads / blocks.across * kRowsOfThread;
    int64_t const sides = (vectors + blocks.across - 1) / blocks.across;
    return {function, sides * ((rows + down - 1) / down), 1, 1, kConversionThreads};
}

inline QuantizedBlocks quantizedBlocks(Dims const& data, Dims const& scale,
                                       graph::ScaleShape const& shape) {
    graph::ScaleBlocks const blocks = graph::scaleBlocks(data, scale, shape);
    QuantizedBlocks result;
    result.count = volume(data, "quantized tensor");
    result.rank = blocks.rank;
    for (int32_t i = 0; i < blocks.rank; ++i) {
        graph::ScaleBlocks::Loop const& loop = blocks.loops[static_cast<std::size_t>(i)];
        result.loops[i] = {fastDivide(loop.extent), fastDivide(loop.block), loop.stride};
    }
    return result;
}

} // namespace kiln::targets::cuda
