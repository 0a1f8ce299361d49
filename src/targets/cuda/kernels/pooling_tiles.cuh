// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The tiles of pooling.cuh: maxima or means over small windows. A block copies bands of input rows
// to shared memory, in aligned words of 16 bytes whatever the extents, with the rows of the padding
// around them; from there, a thread computes kTileRows x kTileColumns neighbouring results. The
// bands belong to neighbouring planes, or to the planes that a window covers along the depth.
#pragma once

#include "pairs.cuh"
#include "pooling_windows.cuh"

#if KILN_TILES
constexpr int kTileThreads = 256;
constexpr int kTileBytes = 48 * 1024;
constexpr int kTileRows = 4;
/// More would let lanes that are far apart share memory banks.
constexpr int kTileColumns = KILN_STRIDE_X > 1 ? 2 : 4;
constexpr int kTileLines = (kTileRows - 1) * KILN_STRIDE_Y + KILN_WINDOW_Y;
constexpr int kVector = widthFor(sizeof(Element));
constexpr int kTileFront = 16; ///< elements in front of the tile, at least the padding of a row
constexpr int kTileHeld = 2;   ///< vectors of a thread on their way
constexpr int kTileInputs = (kTileColumns - 1) * KILN_STRIDE_X + KILN_WINDOW_X;

/// What padding counts as.
__device__ inline float neutral() {
    return KILN_LARGEST != 0 ? -infinity() : 0.0F;
}

__device__ inline float combined(float a, float b) {
    return KILN_LARGEST != 0 ? largerOrNan(a, b) : a + b;
}

struct Block {
    Element const* plane; ///< the first input plane
    int64_t slice;        ///< the first output plane
    int slices;
    int row;   ///< the first output row
    int rows;
    int first; ///< of the elements of a plane that are in a band; may be outside
    Range z; ///< planes of the window along the depth; one, if the block has several slices

    __device__ Block(Arguments const& arguments, Element const* data) {
        if (arguments.slicesOfTile > 1) {
            slice = static_cast<int64_t>(blockIdx.x) * arguments.slicesOfTile;
            slices = static_cast<int>(least(arguments.slices - slice, arguments.slicesOfTile));
            row = 0;
        } else {
            slice = quotient(blockIdx.x, arguments.tiles);
            slices = 1;
            row = static_cast<int>(blockIdx.x - slice * arguments.tiles) * arguments.rowsOfTile;
        }
        rows = static_cast<int>(least(arguments.height.output - row, arguments.rowsOfTile));
        int64_t const stack = quotient(slice, arguments.depth.output);
        z = rangeOf(arguments.depth, slice - stack * arguments.depth.output);
        plane = data + (stack * arguments.depth.input + z.begin) * area(arguments);
        first = (row * KILN_STRIDE_Y - static_cast<int>(arguments.height.before)) *
                static_cast<int>(arguments.width.input);
    }
    __device__ static int area(Arguments const& arguments) {
        return static_cast<int>(arguments.height.input * arguments.width.input);
    }
    __device__ int depth() const { return static_cast<int>(z.end - z.begin); }
    /// How far from a word's begin the first element of a band is. Bands are aligned in shared
    /// memory as in global memory.
    __device__ int lead(int number, int area) const {
        auto const address = static_cast<uint32_t>(reinterpret_cast<uint64_t>(plane)) /
                             static_cast<uint32_t>(sizeof(Element));
        return (static_cast<int>(address) + number * area + first) & (kVector - 1);
    }
};

/// Copies all bands to shared memory, each behind the other.
__device__ inline void copyBands(Arguments const& arguments, Block const& block, Element* tile) {
    typedef Pack<Element, kVector> Vector;
    int const vectors = static_cast<int>(arguments.byVectors.divisor);
    int const all = (block.slices > 1 ? block.slices : block.depth()) * vectors;
    int const area = Block::area(arguments);
    for (int first = static_cast<int>(threadIdx.x); first < all;
         first += kTileThreads * kTileHeld) {
        Vector held[kTileHeld];
        Element const* planes[kTileHeld];
        int places[kTileHeld];
#pragma unroll
        for (int k = 0; k < kTileHeld; ++k) {
            int const i = first + k * kTileThreads;
            int const number = arguments.byVectors.quotient(i);
            planes[k] = block.plane + static_cast<int64_t>(number) * area;
            places[k] = block.first - block.lead(number, area) + (i - number * vectors) * kVector;
            if (i < all && places[k] >= 0 && places[k] + kVector <= area) {
                held[k] = *reinterpret_cast<Vector const*>(planes[k] + places[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < kTileHeld; ++k) {
            int const i = first + k * kTileThreads;
            if (i >= all) {
                break;
            }
            if (places[k] >= 0 && places[k] + kVector <= area) {
                reinterpret_cast<Vector*>(tile)[i] = held[k];
                continue;
            }
#pragma unroll 1
            for (int e = 0; e < kVector; ++e) {
                int const at = places[k] + e;
                tile[i * kVector + e] = at >= 0 && at < area ? planes[k][at]
                                                             : fromFloat<Element>(neutral());
            }
        }
    }
}

/// Adds the lines of a band to results. `first`: the first column, in shared memory; bit i of
/// `inside`: whether column i is no padding.
template <bool kPadded>
__device__ inline void addBand(Element const* first, int width, unsigned inside,
                               float (&results)[kTileRows][kTileColumns]) {
#pragma unroll
    for (int line = 0; line < kTileLines; ++line) {
        if (line % KILN_STRIDE_Y >= KILN_WINDOW_Y && line < kTileLines - KILN_WINDOW_Y) {
            continue;
        }
        float values[kTileInputs];
#pragma unroll
        for (int i = 0; i < kTileInputs; ++i) {
            values[i] = toFloat(first[line * width + i]);
            if (kPadded) {
                values[i] = (inside >> i & 1U) != 0 ? values[i] : neutral();
            }
        }
#pragma unroll
        for (int column = 0; column < kTileColumns; ++column) {
            float joined = values[column * KILN_STRIDE_X];
#pragma unroll
            for (int i = 1; i < KILN_WINDOW_X; ++i) {
                joined = combined(joined, values[column * KILN_STRIDE_X + i]);
            }
#pragma unroll
            for (int row = 0; row < kTileRows; ++row) {
                if (line >= row * KILN_STRIDE_Y && line < row * KILN_STRIDE_Y + KILN_WINDOW_Y) {
                    results[row][column] = combined(results[row][column], joined);
                }
            }
        }
    }
}

/// Stores kTileColumns results, `kWidth` at once.
template <int kWidth>
__device__ inline void storeColumns(Element* to, Pack<Element, kTileColumns> const& pack,
                                    int many) {
#pragma unroll
    for (int k = 0; k < kTileColumns; k += kWidth) {
        if (k < many) {
            Pack<Element, kWidth> part;
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                part.at[i] = pack.at[k + i];
            }
            *reinterpret_cast<Pack<Element, kWidth>*>(to + k) = part;
        }
    }
}

/// Writes the results of rows from `row` and columns from `x` on.
__device__ inline void writeResults(Arguments const& arguments, Range const& z, Element* slice,
                                    int row, int x,
                                    float const (&results)[kTileRows][kTileColumns]) {
    int const columns = static_cast<int>(arguments.width.output);
    int const many = columns - x;
    Element* to = slice + row * columns + x;
#pragma unroll
    for (int i = 0; i < kTileRows; ++i, to += columns) {
        if (row + i >= arguments.height.output) {
            break;
        }
        float numbers[kTileColumns];
#pragma unroll
        for (int k = 0; k < kTileColumns; ++k) {
            numbers[k] = KILN_MEAN != 0 ? results[i][k] * arguments.inverse : results[i][k];
        }
        if (KILN_MEAN != 0 && arguments.inverse == 0.0F) {
            Range const y = rangeOf(arguments.height, row + i);
#pragma unroll
            for (int k = 0; k < kTileColumns; ++k) {
                numbers[k] = resultOf(arguments, z, y, rangeOf(arguments.width, x + k), 0.0F,
                                      results[i][k]);
            }
        }
        Pack<Element, kTileColumns> pack;
#pragma unroll
        for (int k = 0; k < kTileColumns; k += 2) {
            storePair(pack.at + k, numbers[k], numbers[k + 1]);
        }
        if (columns % kTileColumns == 0 && beginsVector<kTileColumns>(slice)) {
            storeColumns<kTileColumns>(to, pack, many);
        } else if (columns % 2 == 0 && beginsVector<2>(slice)) {
            storeColumns<2>(to, pack, many);
        } else {
            storeColumns<1>(to, pack, many);
        }
    }
}

KILN_KERNEL void __launch_bounds__(kTileThreads)
    pooling_tiles(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    KILN_DYNAMIC_SHARED(memory, kTileBytes);
    // Columns of padding are read, but not used, from what is in front or behind.
    Element* const tile = reinterpret_cast<Element*>(memory) + kTileFront;
    Block const block(arguments, inGlobalMemory(from));
    copyBands(arguments, block, tile);
    __syncthreads();

    int const width = static_cast<int>(arguments.width.input);
    int const area = Block::area(arguments);
    int const before = static_cast<int>(arguments.width.before);
    int const groups = static_cast<int>(arguments.byGroups.divisor);
    int const strips = static_cast<int>(arguments.byTileStrips.divisor);
    int const items = block.slices * strips * groups;
    int const pitch = kVector * static_cast<int>(arguments.byVectors.divisor);
    for (int item = static_cast<int>(threadIdx.x); item < items; item += kTileThreads) {
        int const line = arguments.byGroups.quotient(item);
        int const slice = arguments.byTileStrips.quotient(line);
        int const strip = line - slice * strips;
        int const x = (item - line * groups) * kTileColumns;
        if (strip * kTileRows >= block.rows) {
            continue;
        }
        int const left = x * KILN_STRIDE_X - before;
        float results[kTileRows][kTileColumns];
#pragma unroll
        for (int i = 0; i < kTileRows; ++i) {
#pragma unroll
            for (int k = 0; k < kTileColumns; ++k) {
                results[i][k] = neutral();
            }
        }
#pragma unroll 1
        for (int plane = 0; plane < block.depth(); ++plane) {
            int const number = slice + plane;
            Element const* const first = tile + number * pitch + block.lead(number, area) +
                                         strip * kTileRows * KILN_STRIDE_Y * width + left;
            if (arguments.padded != 0) {
                unsigned inside = 0;
#pragma unroll
                for (int i = 0; i < kTileInputs; ++i) {
                    inside |= left + i >= 0 && left + i < width ? 1U << i : 0U;
                }
                addBand<true>(first, width, inside, results);
            } else {
                addBand<false>(first, width, 0, results);
            }
        }
        writeResults(arguments, block.z,
                     to + (block.slice + slice) * arguments.height.output * arguments.width.output,
                     block.row + strip * kTileRows, x, results);
    }
}
#endif
