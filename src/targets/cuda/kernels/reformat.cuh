// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reformat: moves elements from one memory format to another. A tensor is [outer, channels, inner];
// formats differ in the place of the channels. If source and target have different fastest axes,
// tiles are moved through shared memory; else the target is filled element by element in its own
// order. Padding of the last vector is zeroed.
// Macros: T, PAIRS (1 for elements of two bytes), WIDE (0 or 1).
#include "tiles.cuh"
#include "words.cuh"

/// Maps element [outer, channel, inner] to its offset.
struct Layout {
    int64_t outerStep;
    int64_t vectorStep; ///< from a vector of channels to the next
    int64_t innerStep;
    FastDivide vector;
};

/// The target's axes in memory order: [outer, vectors, inner, channels of a vector].
struct Arguments {
    int64_t size; ///< elements of the target
    int64_t channels;
    FastDivide vector;
    FastDivide inner;
    FastDivide vectors;
    Layout from;
    Tiles tiles;
};

template <typename Index>
struct ReformatMap {
    T const* data;
    Arguments const& arguments;

    __device__ T at(Index position) const {
        Index const place = arguments.vector.quotient(position);
        Index const lane = position - place * static_cast<Index>(arguments.vector.divisor);
        Index const row = arguments.inner.quotient(place);
        Index const inner = place - row * static_cast<Index>(arguments.inner.divisor);
        Index const outer = arguments.vectors.quotient(row);
        Index const channel = (row - outer * static_cast<Index>(arguments.vectors.divisor)) *
                                  static_cast<Index>(arguments.vector.divisor) +
                              lane;
        if (channel >= static_cast<Index>(arguments.channels)) {
            return T{};
        }
        Layout const& from = arguments.from;
        Index const vector = from.vector.quotient(channel);
        return data[outer * static_cast<Index>(from.outerStep) +
                    vector * static_cast<Index>(from.vectorStep) +
                    inner * static_cast<Index>(from.innerStep) + channel -
                    vector * static_cast<Index>(from.vector.divisor)];
    }
};

template <typename Index>
__device__ inline void reformatElements(T const* from, T* to, Arguments const& arguments) {
    ReformatMap<Index> const map{from, arguments};
    fillElements<T, Index>(to, static_cast<Index>(arguments.size), map);
}

KILN_KERNEL void __launch_bounds__(kThreads)
    reformat_elements(T const* from, T* to, KILN_IN_PLACE Arguments arguments) {
    reformatElements<int32_t>(from, to, arguments);
}

#if WIDE
KILN_KERNEL void __launch_bounds__(kThreads)
    reformat_elements_wide(T const* from, T* to, KILN_IN_PLACE Arguments arguments) {
    reformatElements<int64_t>(from, to, arguments);
}
#endif

#define KILN_REFORMAT(NAME, PACK, LIMITED)                                                         \
    KILN_KERNEL void __launch_bounds__(kTileThreads, PACK == 2 ? kPairBlocks : kTileBlocks)        \
        NAME(T const* from, T* to, KILN_IN_PLACE Arguments arguments) {                            \
        moveTile<T, PACK, LIMITED>(from, to, arguments.tiles);                                     \
    }

KILN_REFORMAT(reformat_tiles, 1, false)
KILN_REFORMAT(reformat_tiles_limited, 1, true)
#if PAIRS
KILN_REFORMAT(reformat_pairs, 2, false)
KILN_REFORMAT(reformat_pairs_limited, 2, true)
#endif
