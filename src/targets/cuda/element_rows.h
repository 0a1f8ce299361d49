// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/indexed_axes.h"
#include "targets/cuda/kernel_launch.h"

namespace kiln::targets::cuda {

/// Rows of some data and the indices into them; the layout of kernels/element_rows.cuh.
struct ElementRows {
    int64_t rows = 0;
    int64_t total = 0;
    int32_t length = 0;
    int32_t rowsOfBlock = 0;
    int32_t indices = 0;
    int32_t share = 0;
    FastDivide byShare;
    FastDivide byFours;

    /// Launches blocks that hold rows in shared memory. None unless the axis is the last one, each
    /// row of the data has one of indices, rows are neither short nor long, and there are many of
    /// them. `splits`: several blocks may share a row.
    GridLaunch launch(std::string_view function, Dims const& data, Dims const& given, int32_t axis,
                      int64_t bytes, bool splits) {
        GridLaunch result{function, 0, 1, 1, 256};
        int32_t const last = data.nbDims - 1;
        for (int32_t i = 0; i < last; ++i) {
            if (data.d[i] != given.d[i]) {
                return result;
            }
        }
        if (axis != last || last < 0) {
            return result;
        }
        constexpr int64_t kLeastLength = 32;
        constexpr int64_t kMostBytes = 32768;
        constexpr int64_t kBytesWanted = 8192; // then several blocks share a multiprocessor
        constexpr int64_t kBlocksWanted = 256;
        constexpr int64_t kMostIndices = 1 << 26;
        int64_t const extent = data.d[last];
        int64_t const many = given.d[last];
        rows = extentOf(data, 0, last);
        if (extent < kLeastLength || extent * bytes > kMostBytes || many == 0 || rows == 0 ||
            many > kMostIndices || many < extent / 4) {
            return result;
        }
        total = rows * extent;
        length = static_cast<int32_t>(extent);
        indices = static_cast<int32_t>(many);
        int64_t const held = std::clamp<int64_t>(
            rows / kBlocksWanted, 1, std::max<int64_t>(kBytesWanted / (extent * bytes), 1));
        int64_t const blocks = (rows - 1) / held + 1;
        int64_t parts = 1;
        if (splits) { // a part is worth reading the row
            int64_t const most = std::max<int64_t>(many / (2 * extent), 1);
            parts = std::clamp<int64_t>((kBlocksWanted + blocks - 1) / blocks, 1, most);
        }
        if (blocks * parts < kBlocksWanted || held * many > INT32_MAX / 2) {
            return result;
        }
        rowsOfBlock = static_cast<int32_t>(held);
        share = static_cast<int32_t>(((many + parts - 1) / parts + 3) / 4 * 4);
        byShare = fastDivide(share);
        byFours = fastDivide(share / 4);
        result.gridX = blocks;
        result.gridY = (many - 1) / share + 1;
        result.sharedBytes = static_cast<int32_t>(held * extent * bytes + 32);
        return result;
    }
};

} // namespace kiln::targets::cuda
