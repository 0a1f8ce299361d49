// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The tiles of resize.cuh: images whose height and width both change. A group of threads makes a
// strip of output rows. It copies the input rows of the strip to shared memory, in aligned words of
// 16 bytes whatever the extents, and repeats the elements at the border, so that all samples of an
// output are neighbours. Then a thread computes neighbouring columns from top to bottom; it
// interpolates each input row along the row once and holds the last KILN_TAPS of them, which the
// next output rows share.
#pragma once

#include "pairs.cuh"
#include "resize_taps.cuh"

constexpr int kTileThreads = 256;
constexpr int kTileRows = 256; ///< output rows of all strips of a block
constexpr int kTileInputs = 1024; ///< input rows of all strips of a block
constexpr int kTileBytes = 48 * 1024;
constexpr int kTileHeld = 2; ///< words of a thread on their way
constexpr int kVector = widthFor(sizeof(Element));
constexpr int kBorder = KILN_TAPS;     ///< elements repeated on each side

/// Consecutive samples of an axis: KILN_TAPS from `first` on, of which those outside stand for the
/// ones at the border.
struct Samples {
    int32_t first;
    float weight[KILN_TAPS];
};

__device__ inline Samples samplesOf(Arguments const& arguments, Axis const& axis,
                                    int64_t position) {
    Place const place = placeOf(arguments, axis, position);
    Taps const taps = tapsAt(arguments, axis, place);
    Samples samples;
#pragma unroll
    for (int i = 0; i < KILN_TAPS; ++i) {
        samples.weight[i] = taps.at[i].weight;
    }
    int32_t const first = place.low - (KILN_TAPS > 2 ? 1 : 0);
    int32_t const most = static_cast<int32_t>(axis.input) - 1;
    samples.first = KILN_TAPS == 1          ? taps.at[0].at
                    : first < 1 - KILN_TAPS ? 1 - KILN_TAPS
                    : first > most          ? most
                                            : first;
    return samples;
}

/// The input rows of a strip in shared memory.
struct Band {
    Element const* plane;
    int area; ///< elements of the plane
    int width;
    int height;
    int first;  ///< row, may be outside
    int lowest; ///< column
    int pitch;  ///< between rows in shared memory

    __device__ int inside(int row) const {
        int const number = first + row;
        return number < 0 ? 0 : number < height ? number : height - 1;
    }
    /// The place in the plane of the lowest column of a row, and how far it is behind the begin of
    /// a word.
    __device__ int place(int row) const { return inside(row) * width + lowest; }
    __device__ int lead(int place) const {
        auto const address = static_cast<uint32_t>(reinterpret_cast<uint64_t>(plane)) /
                             static_cast<uint32_t>(sizeof(Element));
        return static_cast<int>(address + static_cast<uint32_t>(place)) & (kVector - 1);
    }
    /// Where the lowest column of a row is in shared memory, counted from the band.
    __device__ int begin(int row) const { return row * pitch + kVector + lead(place(row)); }

    __device__ void copy(Element* to, int rows, FastDivide byVectors, int lane, int lanes) const {
        typedef Pack<Element, kVector> Vector;
        int const vectors = static_cast<int>(byVectors.divisor);
        int const all = rows * vectors;
        for (int i = lane; i < all; i += lanes * kTileHeld) {
            Vector held[kTileHeld];
            int places[kTileHeld];
            int targets[kTileHeld];
#pragma unroll
            for (int k = 0; k < kTileHeld; ++k) {
                int const row = byVectors.quotient(i + k * lanes);
                int const own = place(row);
                int const vector = (i + k * lanes - row * vectors) * kVector;
                places[k] = own - lead(own) + vector;
                targets[k] = row * pitch + kVector + vector;
                if (places[k] >= 0 && places[k] + kVector <= area) {
                    held[k] = *reinterpret_cast<Vector const*>(plane + places[k]);
                }
            }
#pragma unroll
            for (int k = 0; k < kTileHeld; ++k) {
                if (i + k * lanes >= all) {
                    break;
                }
                if (places[k] >= 0 && places[k] + kVector <= area) {
                    *reinterpret_cast<Vector*>(to + targets[k]) = held[k];
                } else {
#pragma unroll 1
                    for (int e = 0; e < kVector; ++e) {
                        if (places[k] + e >= 0 && places[k] + e < area) {
                            to[targets[k] + e] = plane[places[k] + e];
                        }
                    }
                }
            }
        }
    }
    /// Repeats the first and the last column.
    __device__ void repeat(Element* to, int rows, int lane, int lanes) const {
        for (int i = lane; i < 2 * rows; i += lanes) {
            int const row = i >> 1;
            Element* const line = to + begin(row) - lowest;
            bool const left = (i & 1) == 0;
            if (left ? lowest == 0 : line + width + kBorder <= to + (row + 1) * pitch) {
                int const from = left ? 0 : width - 1;
                int const target = left ? -kBorder : width;
#pragma unroll
                for (int k = 0; k < kBorder; ++k) {
                    line[target + k] = line[from];
                }
            }
        }
    }
};

#if KILN_MOVES
template <int kColumns>
__device__ inline void storeResults(Element* to, Sum const (&sums)[kColumns]) {
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
        to[k] = sums[k];
    }
}
#else
template <int kColumns>
__device__ inline void storeResults(Element* to, Sum const (&sums)[kColumns]) {
    if constexpr (Integers<Element>::kAre) {
#pragma unroll
        for (int k = 0; k < kColumns; ++k) {
            to[k] = resultOf(sums[k]);
        }
    } else {
#pragma unroll
        for (int k = 0; k < kColumns; k += 2) {
            storePair(to + k, sums[k], sums[k + 1]);
        }
    }
}
#endif

/// A sum of samples; the first one is no addition to 0.
__device__ inline void addSample(Sum& sum, float weight, Sum value, bool first) {
#if KILN_MOVES
    sum = value;
#else
    sum = first ? weight * value : sum + weight * value;
#endif
}

__device__ inline Sum numberAt(Element const* from) {
#if KILN_MOVES
    return *from;
#else
    return toFloat(*from);
#endif
}

template <int kColumns>
__device__ inline void resizeTiles(Element const* from, Element* to, Element* memory,
                                   Arguments const& arguments) {
    __shared__ Samples table[kTileRows];
    __shared__ int begins[kTileInputs];
    __shared__ int lowest;
    Axis const& height = arguments.axes[1];
    Axis const& width = arguments.axes[2];
    int const rows = arguments.rowsOfStrip;
    int const lanes = arguments.lanes;
    int const group = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) - group * lanes;
    int64_t const strip = static_cast<int64_t>(blockIdx.x) * (kTileThreads / lanes) + group;
    int64_t const plane = quotient(strip, arguments.strips);
    int const y = static_cast<int>(strip - plane * arguments.strips) * rows;
    int const below = static_cast<int>(height.output) - y;
    int const count = plane >= arguments.outer ? 0 : below < rows ? below : rows;
    Samples* const own = table + group * rows;
#pragma unroll 1
    for (int i = lane; i < count; i += lanes) {
        own[i] = samplesOf(arguments, height, y + i);
    }
    int64_t const x = (static_cast<int64_t>(blockIdx.y) * lanes + lane) * kColumns;
    Samples columns[kColumns];
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
        columns[k] =
            samplesOf(arguments, width, x + k < width.output ? x + k : width.output - 1);
    }
    if (threadIdx.x == 0) {
        lowest = columns[0].first < 0 ? 0 : columns[0].first;
    }
    __syncthreads();

    int const pitch = arguments.pitch;
    Element* const lines =
        memory + group * arguments.inputsOfStrip * pitch;
    Band band;
    band.width = static_cast<int>(width.input);
    band.height = static_cast<int>(height.input);
    band.area = band.width * band.height;
    band.plane = inGlobalMemory(from) + plane * band.area;
    band.lowest = lowest;
    band.pitch = pitch;
    band.first = own[0].first;
    int const inputs = count == 0 ? 0 : own[count - 1].first + KILN_TAPS - band.first;
    band.copy(lines, inputs, arguments.byVectors, lane, lanes);
    int* const ownBegins = begins + group * arguments.inputsOfStrip;
    for (int i = lane; i < inputs; i += lanes) {
        ownBegins[i] = band.begin(i) - band.lowest;
    }
    __syncthreads();
    band.repeat(lines, inputs, lane, lanes);
    __syncthreads();
    if (x >= width.output) {
        return;
    }

    Element* target = to + (plane * height.output + y) * width.output + x;
    int64_t const many = width.output - x;
    bool const packs = many >= kColumns && width.output % kColumns == 0 &&
                       beginsVector<kColumns>(to);
    Sum joined[KILN_TAPS][kColumns];
    int next = 0; // input row of the band
    for (int i = 0; i < count; ++i, target += width.output) {
        Samples const vertical = own[i];
        int const end = vertical.first + KILN_TAPS - band.first;
        while (next < end) {
            next = next > end - KILN_TAPS ? next : end - KILN_TAPS;
            Element const* const line = lines + ownBegins[next];
            ++next;
#pragma unroll
            for (int k = 0; k < kColumns; ++k) {
#pragma unroll
                for (int tap = 0; tap + 1 < KILN_TAPS; ++tap) {
                    joined[tap][k] = joined[tap + 1][k];
                }
                Element const* const samples = line + columns[k].first;
#pragma unroll
                for (int tap = 0; tap < KILN_TAPS; ++tap) {
                    addSample(joined[KILN_TAPS - 1][k], columns[k].weight[tap],
                              numberAt(samples + tap), tap == 0);
                }
            }
        }
        Sum sums[kColumns];
#pragma unroll
        for (int k = 0; k < kColumns; ++k) {
#pragma unroll
            for (int tap = 0; tap < KILN_TAPS; ++tap) {
                addSample(sums[k], vertical.weight[tap], joined[tap][k], tap == 0);
            }
        }
        Pack<Element, kColumns> result;
        storeResults(result.at, sums);
        if (packs) {
            *reinterpret_cast<Pack<Element, kColumns>*>(target) = result;
        } else {
#pragma unroll
            for (int k = 0; k < kColumns; ++k) {
                if (k < many) {
                    target[k] = result.at[k];
                }
            }
        }
    }
}

#define KILN_RESIZE_TILES(NAME, COLUMNS)                                                           \
    KILN_KERNEL void __launch_bounds__(kTileThreads)                                               \
        NAME(Element const* from, KILN_EXTENTS Element* to, void*,                                 \
             KILN_IN_PLACE Arguments arguments) {                                                  \
        KILN_DYNAMIC_SHARED(memory, kTileBytes);                                                   \
        resizeTiles<COLUMNS>(from, to, reinterpret_cast<Element*>(memory), arguments);             \
    }

KILN_RESIZE_TILES(resize_tiles_of_2, 2)
KILN_RESIZE_TILES(resize_tiles_of_4, 4)
