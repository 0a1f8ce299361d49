// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of 64 scattered rows with 64 columns of one or two matrices, by a block of 4 warps,
// summed in float: with the matrix units for half and bfloat16 (KILN_UNITS), where one tile is
// loaded while the other one is multiplied, else 8 by 4 results per thread. Operands move in
// vectors of 16 bytes where all rows are aligned. KILN_ELEMENT: the type.
#pragma once

#include "threads.cuh"
#if KILN_UNITS
#include "matrix_units.cuh"
#endif

typedef KILN_ELEMENT Element;

constexpr int kTile = 64; ///< rows and columns of a block
constexpr int kThreads = 128;
constexpr int kDepth = KILN_UNITS ? 32 : 16;

/// Sums of a thread.
#if KILN_UNITS
constexpr int kSums = kTile / 8; ///< of 16 rows and 8 columns, as matrix_units.cuh has them
typedef float Sums[kSums][4];
#else
constexpr int kRowsEach = 8;
constexpr int kColumnsEach = 4;
typedef float Sums[kRowsEach][kColumnsEach];
#endif

/// Calls visit(row, column, i, j) for each sum [i][j] of this thread.
template <typename Visit>
__device__ inline void forSums(Visit const& visit) {
    int const thread = static_cast<int>(threadIdx.x);
#if KILN_UNITS
    int const lane = thread % 32;
    int const row = thread / 32 * 16 + lane / 4;
    int const column = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            visit(row + (j / 2) * 8, i * 8 + column + j % 2, i, j);
        }
    }
#else
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i) {
#pragma unroll
        for (int j = 0; j < kColumnsEach; ++j) {
            visit(thread / 16 + i * 8, thread % 16 + j * 16, i, j);
        }
    }
#endif
}

constexpr int kVector = 16 / static_cast<int>(sizeof(Element)); ///< elements moved at once

#if KILN_UNITS
// Rows begin at different banks, at multiples of 16 bytes.
constexpr int kStages = 2; ///< one is loaded while the other one is multiplied
constexpr int kLeftPitch = kDepth + 8;
constexpr int kRightPitch = kTile + 8;
typedef Element Shared;
#else
constexpr int kStages = 1;
constexpr int kLeftPitch = kDepth + 1;
constexpr int kRightPitch = kTile + 1;
typedef float Shared;
#endif
struct LeftTile {
    alignas(16) Shared at[kTile][kLeftPitch];
};
struct RightTile {
    alignas(16) Shared at[kDepth][kRightPitch];
};

/// kSets products with the same rows.
template <int kSets>
struct Tiles {
    LeftTile left[kStages];
    RightTile right[kStages][kSets];
    int64_t rows[kTile]; ///< first element of each row; -1: none
};

__device__ inline Shared shared(Element element) {
#if KILN_UNITS
    return element;
#else
    return toFloat(element);
#endif
}

/// Moves kVector elements to shared memory, or zeros if they do not exist.
__device__ inline void moveVector(Shared* to, Element const* from, bool exists) {
#if KILN_UNITS
    beginCopy(to, from, exists);
#else
    Pack<Element, kVector> pack{};
    if (exists) {
        pack = *reinterpret_cast<Pack<Element, kVector> const*>(from);
    }
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        to[i] = shared(pack.at[i]);
    }
#endif
}

/// Rows of the left operand from column `first` on. kMoved: elements at once.
template <int kMoved, int kSets>
__device__ inline void loadLeft(LeftTile& tile, Tiles<kSets> const& tiles, Element const* from,
                                int64_t first, int64_t depth) {
#pragma unroll
    for (int part = 0; part < kTile * kDepth / kMoved / kThreads; ++part) {
        int const index = part * kThreads + static_cast<int>(threadIdx.x);
        int const row = index / (kDepth / kMoved);
        int const k = index % (kDepth / kMoved) * kMoved;
        int64_t const start = tiles.rows[row];
        bool const inside = start >= 0 && first + k < depth;
        Element const* const at = from + (inside ? start + first + k : 0);
        if constexpr (kMoved > 1) {
            moveVector(&tile.at[row][k], at, inside);
        } else {
            tile.at[row][k] = inside ? shared(*at) : Shared{};
        }
    }
}

/// Rows of the right operand from row `first` on.
template <int kMoved>
__device__ inline void loadRight(RightTile& tile, Element const* from, int64_t first, int64_t depth,
                                 int64_t column, int64_t columns) {
#pragma unroll
    for (int part = 0; part < kTile * kDepth / kMoved / kThreads; ++part) {
        int const index = part * kThreads + static_cast<int>(threadIdx.x);
        int const k = index / (kTile / kMoved);
        int const i = index % (kTile / kMoved) * kMoved;
        bool const inside = first + k < depth && column + i < columns;
        Element const* const at = from + (inside ? (first + k) * columns + column + i : 0);
        if constexpr (kMoved > 1) {
            moveVector(&tile.at[k][i], at, inside);
        } else {
            tile.at[k][i] = inside ? shared(*at) : Shared{};
        }
    }
}

/// sums += left * right
__device__ inline void multiplyTiles(Sums& sums, LeftTile const& left, RightTile const& right) {
    int const thread = static_cast<int>(threadIdx.x);
#if KILN_UNITS
    int const lane = thread % 32;
    int const row = thread / 32 * 16;
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
        uint32_t a[4];
        loadTiles(a, &left.at[row + lane % 16][k + lane / 16 * 8]);
#pragma unroll
        for (int i = 0; i < kSums; i += 2) {
            uint32_t b[4];
            loadTransposedTiles(b, &right.at[k + lane % 16][i * 8 + lane / 16 * 8]);
            multiplyAdd<Element>(sums[i], a, b[0], b[1]);
            multiplyAdd<Element>(sums[i + 1], a, b[2], b[3]);
        }
    }
#else
    for (int k = 0; k < kDepth; ++k) {
        float b[kColumnsEach];
#pragma unroll
        for (int j = 0; j < kColumnsEach; ++j) {
            b[j] = right.at[k][thread % 16 + j * 16];
        }
#pragma unroll
        for (int i = 0; i < kRowsEach; ++i) {
            float const a = left.at[thread / 16 + i * 8][k];
#pragma unroll
            for (int j = 0; j < kColumnsEach; ++j) {
                sums[i][j] += a * b[j];
            }
        }
    }
#endif
}

/// The operands of kSets products: the same left one, and right ones of [depth, columns].
template <int kSets>
struct Operands {
    Element const* left;
    Element const* right[kSets];
    int64_t depth;
    int64_t column;
    int64_t columns;
};

template <int kMoved, int kSets>
__device__ inline void load(Tiles<kSets>& tiles, int stage, Operands<kSets> const& from,
                            int64_t first) {
    loadLeft<kMoved>(tiles.left[stage], tiles, from.left, first, from.depth);
#pragma unroll
    for (int set = 0; set < kSets; ++set) {
        loadRight<kMoved>(tiles.right[stage][set], from.right[set], first, from.depth, from.column,
                          from.columns);
    }
#if KILN_UNITS
    endGroup();
#endif
}

/// sums[set] += left * right[set]. tiles.rows must be written; no thread reads the tiles.
template <int kMoved, int kSets>
__device__ inline void multiply(Tiles<kSets>& tiles, Operands<kSets> const& from,
                                Sums (&sums)[kSets]) {
    if (kStages == 2) {
        load<kMoved>(tiles, 0, from, 0);
    }
    int stage = 0;
    for (int64_t k = 0; k < from.depth; k += kDepth) {
        if (kStages == 1) {
            load<kMoved>(tiles, 0, from, k);
        } else if (k + kDepth < from.depth) {
            load<kMoved>(tiles, 1 - stage, from, k + kDepth);
        }
#if KILN_UNITS
        if (k + kDepth < from.depth) {
            waitForGroups<1>();
        } else {
            waitForGroups<0>();
        }
#endif
        __syncthreads();
#pragma unroll
        for (int set = 0; set < kSets; ++set) {
            multiplyTiles(sums[set], tiles.left[stage], tiles.right[stage][set]);
        }
        __syncthreads(); // the tiles are loaded again
        stage = (stage + 1) % kStages;
    }
}

/// The same, in vectors where all rows are aligned.
template <int kSets>
__device__ inline void multiplyAny(Tiles<kSets>& tiles, Operands<kSets> const& from,
                                   Sums (&sums)[kSets]) {
    bool aligned = from.depth % kVector == 0 && from.columns % kVector == 0 &&
                   isAligned16(from.left);
    for (int set = 0; set < kSets; ++set) {
        aligned = aligned && isAligned16(from.right[set]);
    }
    if (aligned) {
        multiply<kVector>(tiles, from, sums);
    } else {
        multiply<1>(tiles, from, sums);
    }
}
