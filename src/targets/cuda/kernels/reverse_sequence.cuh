// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reverse-sequence: [outer, first, middle, second, inner], where first and second are the sequence
// axis and the batch axis, in either order. Rows of `inner` elements are moved; long rows by words,
// rows of whole words by aligned ones.
// Macros: T, LENGTH (type of the lengths), WIDE (0 or 1).
#include "words.cuh"

struct Arguments {
    int64_t size;
    int64_t step;   ///< elements that one step along the sequence axis advances
    int64_t extent; ///< of the sequence axis
    FastDivide inner;
    FastDivide second;
    FastDivide middle;
    FastDivide first;
    int32_t sequenceFirst;
};

template <typename Index>
struct ReverseMap {
    /// The length that belongs to a row.
    typedef LENGTH Key;

    T const* data;
    LENGTH const* lengths;
    Arguments const& arguments;

    /// The coordinates along the two axes.
    __device__ void locate(Index position, Index& first, Index& second) const {
        Index const row = arguments.inner.quotient(position);
        Index const lane = arguments.second.quotient(row);
        second = row - lane * static_cast<Index>(arguments.second.divisor);
        Index const outer = arguments.middle.quotient(lane);
        first =
            outer - arguments.first.quotient(outer) * static_cast<Index>(arguments.first.divisor);
    }

    __device__ Index source(Index position, Key key) const {
        Index first;
        Index second;
        locate(position, first, second);
        Index const at = arguments.sequenceFirst != 0 ? first : second;
        int64_t const given = static_cast<int64_t>(key);
        auto const length = static_cast<Index>(given > arguments.extent ? arguments.extent : given);
        Index const from = at < length ? length - 1 - at : at;
        return position + (from - at) * static_cast<Index>(arguments.step);
    }

    __device__ T constant() const { return T{}; }
    __device__ bool aligned() const { return (reinterpret_cast<uint64_t>(data) & 15U) == 0; }

    __device__ Key key(Index position) const {
        Index first;
        Index second;
        locate(position, first, second);
        return lengths[arguments.sequenceFirst != 0 ? second : first];
    }

    __device__ Origin find(Index position, Key key, Run<T>& run) const {
        Index const size = static_cast<Index>(arguments.inner.divisor);
        Index const column = position - arguments.inner.quotient(position) * size;
        if (column + kPerWord<T> > size) {
            return Origin::kMixed;
        }
        run.begin = data;
        run.from = data + source(position, key);
        run.end = data + arguments.size;
        return Origin::kRun;
    }

    __device__ T at(Index position) const { return data[source(position, key(position))]; }
};

#define KILN_REVERSE(NAME, INDEX, FILL, BLOCKS)                                                    \
    KILN_KERNEL void __launch_bounds__(kThreads, BLOCKS)                                           \
        NAME(T const* data, LENGTH const* lengths, T* to, KILN_IN_PLACE Arguments arguments) {     \
        ReverseMap<INDEX> const map{data, lengths, arguments};                                     \
        FILL<T, INDEX>(to, static_cast<INDEX>(arguments.size), map);                               \
    }

KILN_REVERSE(reverse_elements, int32_t, fillElements, kWordBlocks)
KILN_REVERSE(reverse_words, int32_t, fillWords, kWordBlocks)
KILN_REVERSE(reverse_aligned, int32_t, fillAlignedWords, kAlignedWordBlocks)
#if WIDE
KILN_REVERSE(reverse_elements_wide, int64_t, fillElements, kWordBlocks)
KILN_REVERSE(reverse_words_wide, int64_t, fillWords, kWordBlocks)
KILN_REVERSE(reverse_aligned_wide, int64_t, fillAlignedWords, kWordBlocks)
#endif
