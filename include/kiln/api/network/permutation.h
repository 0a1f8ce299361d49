// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A reordering of dimensions: dimension i of the result is dimension order[i] of the source.
//! The first `rank` entries must be 0 .. rank - 1 in some order; the others are ignored.
//!
//!   Permutation toChannelsLast{{0, 2, 3, 1}}; // [n, c, h, w] -> [n, h, w, c]
struct Permutation {
    int32_t order[Dims::MAX_DIMS];
};

} // namespace nvinfer1

#pragma GCC visibility pop
