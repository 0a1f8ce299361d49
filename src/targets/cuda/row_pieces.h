// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of kernels/row_pieces.cuh.
#pragma once

#include <cstdint>

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

/// Rows in pieces of 32 units; the layout of the kernels' struct.
struct RowPieces {
    int64_t count = 0;
    FastDivide perRow;
    int64_t units = 0;

    /// The bytes of a unit, for `rows` rows of `bytes` bytes, of elements of `element` bytes; 0:
    /// pieces do not suit such rows, because too many lanes would be idle, or elements are wider.
    int64_t set(int64_t rows, int64_t bytes, int64_t element) {
        int64_t const unit = bytes % 8 == 0 ? 8 : 4;
        if (bytes == 0 || bytes % unit != 0 || element > unit) {
            return 0;
        }
        constexpr int64_t kLanes = 32;
        units = bytes / unit;
        int64_t const pieces = (units - 1) / kLanes + 1;
        perRow = fastDivide(pieces);
        count = rows * pieces;
        return 4 * units >= 3 * pieces * kLanes ? unit : 0;
    }

    GridLaunch launch(std::string_view function) const {
        constexpr int64_t kThreads = 256; // as in the source
        constexpr int64_t kPerBlock = kThreads / 32 * 16;
        return {function, (count + kPerBlock - 1) / kPerBlock, 1, 1, kThreads};
    }
};

} // namespace kiln::targets::cuda
