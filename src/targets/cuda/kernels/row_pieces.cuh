// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fills a dense output of rows that are contiguous in the source, but no whole words of 16 bytes.
// A row is moved in pieces of 32 units of 4 or 8 bytes, a piece by a warp, so that the arithmetic
// of a row is done once for the piece, and no thread waits for the ends of rows.
//
// A Map gives the source of each row:
//   Key rowKey(int32_t row) const;
//   int32_t rowOffset(int32_t row, Key const& key) const; // in elements; -1: a row of zeros
#pragma once

#include "threads.cuh"
#include "words.cuh"

/// Same layout as in row_pieces.h.
struct RowPieces {
    int64_t count;     ///< pieces of all rows
    FastDivide perRow; ///< pieces
    int64_t units;     ///< of a row
};

constexpr int kPieceSlots = 8;  ///< units of a thread on their way
constexpr int kWarpPieces = 16; ///< pieces of a warp
constexpr int kPieceBlocks = 6; ///< for __launch_bounds__

template <typename Unit, typename T>
__device__ inline Unit loadUnit(T const* from, bool aligned) {
    if (aligned) {
        return *reinterpret_cast<Unit const*>(from);
    }
    Pack<T, sizeof(Unit) / sizeof(T)> pack;
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(Unit) / sizeof(T)); ++i) {
        pack.at[i] = from[i];
    }
    return *reinterpret_cast<Unit const*>(&pack);
}

template <typename Unit, typename T>
__device__ inline void storeUnit(T* to, Unit unit, bool aligned) {
    if (aligned) {
        *reinterpret_cast<Unit*>(to) = unit;
        return;
    }
    auto const& pack = *reinterpret_cast<Pack<T, sizeof(Unit) / sizeof(T)> const*>(&unit);
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(Unit) / sizeof(T)); ++i) {
        to[i] = pack.at[i];
    }
}

/// kAligned: all rows of both buffers are aligned to units. Each lane computes where one of the
/// warp's pieces is; then all lanes move one piece after the other.
template <typename Unit, bool kAligned, typename T, typename Map>
__device__ inline void movePieces(T const* from, T* to, RowPieces const& pieces, Map const& map) {
    constexpr int kElements = static_cast<int>(sizeof(Unit) / sizeof(T));
    int32_t const warp =
        static_cast<int32_t>(blockIdx.x) * (kThreads / 32) + static_cast<int32_t>(threadIdx.x) / 32;
    int32_t const lane = static_cast<int32_t>(threadIdx.x) % 32;
    int32_t const piece = warp * kWarpPieces + lane % kWarpPieces;
    int32_t const count = static_cast<int32_t>(pieces.count);
    int32_t const units = static_cast<int32_t>(pieces.units);
    int32_t const row = pieces.perRow.quotient(piece < count ? piece : count - 1);
    int32_t const unit = (piece - row * static_cast<int32_t>(pieces.perRow.divisor)) * 32;
    int32_t const offset = map.rowOffset(row, map.rowKey(row));
    int32_t const ownSource = offset < 0 ? -1 : offset + unit * kElements;
    int32_t const ownTarget = (row * units + unit) * kElements;
    int32_t const ownMany = piece < count ? units - unit : 0; // 32 or fewer are left

#pragma unroll
    for (int begin = 0; begin < kWarpPieces; begin += kPieceSlots) {
        Unit held[kPieceSlots];
        int32_t targets[kPieceSlots];
#pragma unroll
        for (int i = 0; i < kPieceSlots; ++i) {
            int32_t const source = __shfl_sync(kAllLanes, ownSource, begin + i);
            int32_t const many = __shfl_sync(kAllLanes, ownMany, begin + i);
            targets[i] = __shfl_sync(kAllLanes, ownTarget, begin + i) + lane * kElements;
            targets[i] = lane < many ? targets[i] : -1;
            held[i] = Unit{};
            if (lane < many && source >= 0) {
                held[i] = loadUnit<Unit>(from + (source + lane * kElements), kAligned);
            }
        }
#pragma unroll
        for (int i = 0; i < kPieceSlots; ++i) {
            if (targets[i] >= 0) {
                storeUnit(to + targets[i], held[i], kAligned);
            }
        }
    }
}

template <typename Unit, typename T, typename Map>
__device__ inline void fillPieces(T const* from, T* to, RowPieces const& pieces, Map const& map) {
    bool const aligned = ((reinterpret_cast<uint64_t>(from) | reinterpret_cast<uint64_t>(to)) &
                          (sizeof(Unit) - 1)) == 0;
    if (aligned) {
        movePieces<Unit, true>(from, to, pieces, map);
    } else {
        movePieces<Unit, false>(from, to, pieces, map);
    }
}
