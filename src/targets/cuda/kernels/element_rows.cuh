// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of the data in shared memory: what gather and scatter share where each element has an index
// of its own along the last axis. Random accesses to global memory would take a sector each.
// Macros: T, INDEX.
#pragma once

#include "flat.cuh"
#include "threads.cuh"

constexpr int kRowThreads = 256;
constexpr int kRowBytes = 48 * 1024;

/// Same layout as in targets/cuda/element_rows.h.
struct ElementRows {
    int64_t rows;
    int64_t total;       ///< elements of the data
    int32_t length;      ///< of a row of the data
    int32_t rowsOfBlock; ///< in shared memory at once
    int32_t indices;     ///< of a row
    int32_t share;       ///< indices of a row for a block; a multiple of 4
    FastDivide byShare;
    FastDivide byFours; ///< share / 4
};

/// The rows of a block.
struct RowTile {
    static constexpr int kVector = widthFor(sizeof(T));
    typedef Pack<T, kVector> Vector;

    ElementRows const& all;
    int64_t firstRow;
    int64_t begin; ///< element of the data
    int rows;
    int count; ///< elements
    int lead;  ///< elements in shared memory in front of the rows

    __device__ RowTile(ElementRows const& all, T const* data) : all(all) {
        firstRow = static_cast<int64_t>(blockIdx.x) * all.rowsOfBlock;
        int64_t const rest = all.rows - firstRow;
        rows = rest < all.rowsOfBlock ? static_cast<int>(rest) : all.rowsOfBlock;
        begin = firstRow * all.length;
        count = rows * all.length;
        lead = leadOf(data);
    }
    /// Words are aligned in global memory.
    __device__ int leadOf(T const* data) const {
        return static_cast<int>(reinterpret_cast<uint64_t>(data + begin) / sizeof(T)) &
               (kVector - 1);
    }
    __device__ void read(T const* data, T* tile) const {
        int const words = (lead + count + kVector - 1) / kVector;
#pragma unroll 4
        for (int i = static_cast<int>(threadIdx.x); i < words; i += kRowThreads) {
            int64_t const at = begin - lead + i * kVector;
            if (at >= 0 && at + kVector <= all.total) {
                reinterpret_cast<Vector*>(tile)[i] = *reinterpret_cast<Vector const*>(data + at);
            } else {
#pragma unroll
                for (int k = 0; k < kVector; ++k) {
                    if (at + k >= begin && at + k < begin + count) {
                        tile[i * kVector + k] = data[at + k];
                    }
                }
            }
        }
    }
    __device__ void write(T const* tile, T* data) const {
        bool const aligned = leadOf(data) == lead;
        int const words = (lead + count + kVector - 1) / kVector;
        for (int i = static_cast<int>(threadIdx.x); i < words; i += kRowThreads) {
            int const at = i * kVector - lead; // from `begin` on
            if (aligned && at >= 0 && at + kVector <= count) {
                *reinterpret_cast<Vector*>(data + begin + at) =
                    reinterpret_cast<Vector const*>(tile)[i];
            } else {
#pragma unroll
                for (int k = 0; k < kVector; ++k) {
                    if (at + k >= 0 && at + k < count) {
                        data[begin + at + k] = tile[i * kVector + k];
                    }
                }
            }
        }
    }
    /// The place of an index in a row; -1 if it is outside.
    __device__ int placeOf(INDEX given) const {
        int64_t const index = given < 0 ? given + all.length : given;
        return index >= 0 && index < all.length ? static_cast<int>(index) : -1;
    }
    /// Calls f(row in the tile, position in the indices) for all indices of the block, or for all
    /// groups of four.
    template <int kWidth, typename F>
    __device__ void forEach(F f) const {
        int64_t const first = static_cast<int64_t>(blockIdx.y) * all.share;
        FastDivide const& by = kWidth == 4 ? all.byFours : all.byShare;
        int const items = rows * static_cast<int>(by.divisor);
#pragma unroll 2
        for (int i = static_cast<int>(threadIdx.x); i < items; i += kRowThreads) {
            int const row = by.quotient(i);
            int64_t const column = first + (i - row * static_cast<int>(by.divisor)) * kWidth;
            if (column < all.indices) {
                f(row, (firstRow + row) * all.indices + column);
            }
        }
    }
};

template <typename U>
__device__ inline bool beginsFour(U const* data) {
    return (reinterpret_cast<uint64_t>(data) & (4 * sizeof(U) - 1)) == 0;
}

template <typename U>
__device__ inline Pack<U, 4> loadFour(U const* from) {
    return *reinterpret_cast<Pack<U, 4> const*>(from);
}
