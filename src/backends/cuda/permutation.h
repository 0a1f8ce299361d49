// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side of kernels that change the order of axes: kernels/tiles.cuh, shuffle.cuh.
#pragma once

#include <optional>
#include <vector>

#include "backends/cuda/fast_divide.h"
#include "base/dims.h"

namespace kiln::backends::cuda {

/// One axis of a tensor that is moved, with its steps in source and target, in elements.
struct MovedAxis {
    FastDivide extent;
    int64_t from = 0;
    int64_t to = 0;
    int64_t channels = 0; ///< how far a step along it goes along the channels; 0 where none matter
};

/// A nest of axes, outermost of the target first. Channels from readLimit on are read as zeros,
/// those from writeLimit on are not written.
struct Permutation {
    std::vector<MovedAxis> axes;
    int64_t readLimit = INT64_MAX;
    int64_t writeLimit = INT64_MAX;

    /// Adds an axis inside of those added before.
    void add(int64_t extent, int64_t from, int64_t to, int64_t channels = 0);
    /// Leaves out axes of extent 1, orders by the target's steps, merges what both walk through
    /// alike. At least one axis stays.
    void simplify();
    /// Whether the source's fastest axis is the target's, too. After simplify().
    bool keepsRows() const { return axes.back().from == 1 && axes.back().to == 1; }
    /// Whether the result is the source as it lies.
    bool copies() const { return axes.size() == 1 && keepsRows(); }
    int64_t count() const;
    bool limited() const { return readLimit != INT64_MAX || writeLimit != INT64_MAX; }
};

/// Axis i of the result is axis order[i] of a dense source.
Permutation transposition(Dims const& source, int32_t const* order);

/// As kernels/tiles.cuh takes it; the fields stand in that order.
struct Tiles {
    MovedAxis a;
    MovedAxis b;
    MovedAxis others[Dims::MAX_DIMS];
    int32_t otherCount = 0;
    int32_t bitsA = 0;
    int32_t bitsB = 0;
    int32_t pitch = 0;
    FastDivide tilesA;
    FastDivide tilesB;
    int64_t readLimit = INT64_MAX;
    int64_t writeLimit = INT64_MAX;
};

/// A permutation cut into tiles.
struct TilePlan {
    Tiles tiles;
    bool pairs = false; ///< for the function that moves pairs of elements
    int64_t blocks = 0;
};

/// Nothing where tiles do not fit: rows stay rows, the two axes are too short, or there are too
/// many blocks for one launch.
std::optional<TilePlan> tilesOf(Permutation const& permutation, int64_t elementBytes);

} // namespace kiln::backends::cuda
