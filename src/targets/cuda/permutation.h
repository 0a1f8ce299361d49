// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of the kernels that permute axes: kernels/tiles.cuh, shuffle.cuh.
#pragma once

#include <optional>
#include <vector>

#include "base/dims.h"
#include "targets/cuda/fast_divide.h"

namespace kiln::targets::cuda {

/// One axis of a tensor that is moved, with its strides in source and target, in elements.
struct MovedAxis {
    FastDivide extent;
    int64_t from = 0;
    int64_t to = 0;
    int64_t channels = 0; ///< channels that one step along the axis advances; 0 if irrelevant
};

/// A nest of axes, outermost of the target first. Channels from readLimit on are read as zeros;
/// channels from writeLimit on are not written.
struct Permutation {
    std::vector<MovedAxis> axes;
    int64_t readLimit = INT64_MAX;
    int64_t writeLimit = INT64_MAX;

    /// Adds an axis inside the axes added before.
    void add(int64_t extent, int64_t from, int64_t to, int64_t channels = 0);
    /// Removes axes of extent 1, sorts by the target's strides and merges axes that are contiguous
    /// in source and target. Keeps at least one axis.
    void simplify();
    /// Whether source and target have the same fastest axis. Call simplify() first.
    bool keepsRows() const { return axes.back().from == 1 && axes.back().to == 1; }
    /// Whether the result equals the source in memory.
    bool copies() const { return axes.size() == 1 && keepsRows(); }
    int64_t count() const;
    bool limited() const { return readLimit != INT64_MAX || writeLimit != INT64_MAX; }
};

/// Axis i of the result is axis order[i] of a dense source.
Permutation transposition(Dims const& source, int32_t const* order);

/// The layout of kernels/tiles.cuh; the fields are in the same order.
struct Tiles {
    MovedAxis a;
    MovedAxis b;
    MovedAxis c{FastDivide{1}, 0, 0, 0}; ///< of a tile, too, if a and b are short
    MovedAxis others[Dims::MAX_DIMS];
    int32_t otherCount = 0;
    int32_t bitsA = 0;
    int32_t bitsB = 0;
    int32_t bitsC = 0;
    int32_t pitch = 0;
    FastDivide tilesA;
    FastDivide tilesB;
    FastDivide tilesC;
    int64_t readLimit = INT64_MAX;
    int64_t writeLimit = INT64_MAX;
};

/// A permutation split into tiles.
struct TilePlan {
    Tiles tiles;
    bool pairs = false; ///< for the function that moves pairs of elements
    int64_t blocks = 0;
};

/// Returns nullopt if tiles do not help: rows stay rows, the two axes are too short, or there are
/// too many blocks for one launch.
std::optional<TilePlan> tilesOf(Permutation const& permutation, int64_t elementBytes);

/// The same for kernels/transposed_blocks.cuh, whose tiles belong to warps: `blocks` of them, with
/// `tiles.bitsA` and `bitsB` in blocks of 8 by 8 elements. Nullopt unless elements have two bytes,
/// extents and strides are multiples of 8, and there are enough elements for all threads.
std::optional<TilePlan> blocksOf(Permutation const& permutation, int64_t elementBytes);

} // namespace kiln::targets::cuda
