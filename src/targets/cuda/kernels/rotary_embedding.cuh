// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// RotaryEmbedding: (a, b) becomes (a cos - b sin, a sin + b cos) for the pairs of each head of
// [batch, heads, length, size]; the rest of a head is copied. A thread moves 16 bytes of each half
// of some pairs, or one pair where vectors do not fit. KILN_ELEMENT: the type. KILN_INTERLEAVED:
// pairs are neighbours. KILN_HAS_POSITIONS: rows of the tables are selected by KILN_POSITION.
#include "threads.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_POSITION Position;

struct Arguments {
    int64_t rows;
    int64_t heads;
    int64_t length;
    int64_t size;
    int64_t pairs; ///< of a row
    int64_t tableBatch;
    int64_t positions; ///< rows of the tables, if positions select them
};

/// The row of the tables for a row of the data; -1 if the tables are empty.
__device__ inline int64_t tableRow(Position const* positions, Arguments const& arguments,
                                   int64_t row) {
    int64_t const plane = quotient(row, arguments.length);
    int64_t const place = row - plane * arguments.length;
    int64_t const batch = quotient(plane, arguments.heads);
#if KILN_HAS_POSITIONS
    int64_t const position = static_cast<int64_t>(positions[batch * arguments.length + place]);
    int64_t const last = arguments.positions - 1;
    int64_t const low = position < 0 ? 0 : position;
    return low < last ? low : last;
#else
    return (arguments.tableBatch == 1 ? 0 : batch) * arguments.length + place;
#endif
}

template <int kCount>
__device__ inline Pack<Element, kCount> loadPack(Element const* from) {
    return *reinterpret_cast<Pack<Element, kCount> const*>(from);
}

template <int kCount>
__device__ inline void storePack(Element* to, Pack<Element, kCount> const& pack) {
    *reinterpret_cast<Pack<Element, kCount>*>(to) = pack;
}

/// Rotates kCount pairs, the first of which is number `first` of the row.
template <int kCount>
__device__ inline void rotate(Element const* from, Element const* cosines, Element const* sines,
                              Element* to, int64_t first, int64_t pairs) {
    int64_t const a = KILN_INTERLEAVED ? 2 * first : first;
    int64_t const b = KILN_INTERLEAVED ? a + kCount : pairs + first;
    Pack<Element, kCount> x = loadPack<kCount>(from + a);
    Pack<Element, kCount> y = loadPack<kCount>(from + b);
    Pack<Element, kCount> const cosine = loadPack<kCount>(cosines + first);
    Pack<Element, kCount> const sine = loadPack<kCount>(sines + first);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#if KILN_INTERLEAVED
        // The two packs are 2 * kCount neighbours.
        Element& one = 2 * i < kCount ? x.at[2 * i] : y.at[2 * i - kCount];
        Element& other = 2 * i + 1 < kCount ? x.at[2 * i + 1] : y.at[2 * i + 1 - kCount];
#else
        Element& one = x.at[i];
        Element& other = y.at[i];
#endif
        float const c = toFloat(cosine.at[i]);
        float const s = toFloat(sine.at[i]);
        float const p = toFloat(one);
        float const q = toFloat(other);
        one = fromFloat<Element>(p * c - q * s);
        other = fromFloat<Element>(p * s + q * c);
    }
    storePack<kCount>(to + a, x);
    storePack<kCount>(to + b, y);
}

template <int kCount>
__device__ inline void rotateRows(Element const* from, Element const* cosines,
                                  Element const* sines, Position const* positions, Element* to,
                                  Arguments const& arguments) {
    int64_t const turning = arguments.pairs / kCount;
    int64_t const units = turning + (arguments.size - 2 * arguments.pairs) / kCount;
    for (int64_t index = threadIndex(); index < arguments.rows * units; index += threadCount()) {
        int64_t const row = quotient(index, units);
        int64_t const unit = index - row * units;
        int64_t const start = row * arguments.size;
        int64_t const angles = tableRow(positions, arguments, row);
        if (unit < turning && angles >= 0) {
            int64_t const table = angles * arguments.pairs;
            rotate<kCount>(from + start, cosines + table, sines + table, to + start, unit * kCount,
                           arguments.pairs);
        } else if (unit < turning) { // without angles both halves stay
            for (int half = 0; half < 2; ++half) {
                int64_t const at = start + unit * kCount + half * arguments.pairs;
                storePack<kCount>(to + at, loadPack<kCount>(from + at));
            }
        } else {
            int64_t const at = start + 2 * arguments.pairs + (unit - turning) * kCount;
            storePack<kCount>(to + at, loadPack<kCount>(from + at));
        }
    }
}

#if KILN_HAS_POSITIONS
#define KILN_OPERANDS                                                                              \
    Element const *from, Element const *cosines, Element const *sines, Position const *positions,  \
        Element *to, Arguments arguments
#else
#define KILN_OPERANDS                                                                              \
    Element const *from, Element const *cosines, Element const *sines, Element *to,                \
        Arguments arguments
#define positions static_cast<Position const*>(nullptr)
#endif

KILN_KERNEL void rotary(KILN_OPERANDS) {
    rotateRows<1>(from, cosines, sines, positions, to, arguments);
}

KILN_KERNEL void rotary_wide(KILN_OPERANDS) {
    constexpr int kCount = 16 / sizeof(Element);
    if (isAligned16(from) && isAligned16(to) && isAligned16(cosines) && isAligned16(sines)) {
        rotateRows<kCount>(from, cosines, sines, positions, to, arguments);
    } else {
        rotateRows<1>(from, cosines, sines, positions, to, arguments);
    }
}
