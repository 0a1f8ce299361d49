// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// gather: copies the parts of the data that the indices select. Parts are rows: data [shared,
// outer, axes..., inner], indices [shared, count, tuple], output [shared, outer, count, inner];
// long rows are copied by words or by smaller units, rows of whole words by aligned ones. With
// ELEMENTWISE, each element has its own index. Negative indices count from the end; an index
// outside its axis gives zeros. Macros: T, INDEX (type of the indices), ELEMENTWISE, WIDE,
// EIGHT_BYTES: whether T has eight (each 0 or 1).
#include "indexed_axes.cuh"
#include "row_pieces.cuh"

#if ELEMENTWISE
#include "element_rows.cuh"
#endif

struct Arguments {
    int64_t total; ///< elements of the data
    int64_t size;  ///< of the output
    FastDivide inner;
    FastDivide count; ///< tuples per shared part
    FastDivide outer;
    int64_t sharedStep;
    int64_t outerStep;
    int64_t plain; ///< 1: one shared part and one outer row, as in a lookup of matrix rows
    IndexedAxes indexed;
    RowPieces pieces;
#if ELEMENTWISE
    ElementRows rows;
#endif
};

#if ELEMENTWISE
template <typename Index>
struct GatherMap {
    T const* data;
    INDEX const* indices;
    Arguments const& arguments;

    __device__ T at(Index position) const {
        Index offset = 0;
        arguments.indexed.keepCoordinates(position, offset);
        bool const inside = arguments.indexed.take<Index>(indices[position], 0, offset);
        return inside ? data[offset] : T{};
    }
};
#else
/// The first index of an output row, and the start of its shared part in the data.
template <typename Index>
struct Row {
    Index first;
    Index offset;
};

template <typename Index>
struct GatherMap {
    /// The row's first index, unconverted: a conversion would wait for the load.
    typedef INDEX Key;

    T const* data;
    INDEX const* indices;
    Arguments const& arguments;

    __device__ Row<Index> rowAt(Index row) const {
        if (arguments.plain != 0) {
            return {row * static_cast<Index>(arguments.indexed.tuple), 0};
        }
        Index const outerRow = arguments.count.quotient(row);
        Index const tuple = row - outerRow * static_cast<Index>(arguments.count.divisor);
        Index const part = arguments.outer.quotient(outerRow);
        Index const outer = outerRow - part * static_cast<Index>(arguments.outer.divisor);
        return {(part * static_cast<Index>(arguments.count.divisor) + tuple) *
                    static_cast<Index>(arguments.indexed.tuple),
                part * static_cast<Index>(arguments.sharedStep) +
                    outer * static_cast<Index>(arguments.outerStep)};
    }

    /// Sets the start of a row in the data; false for a row of zeros.
    __device__ bool offsetOf(Row<Index> row, Key index, Index& offset) const {
        offset = row.offset;
        IndexedAxes const& indexed = arguments.indexed;
        return (indexed.tuple == 0 || indexed.take<Index>(index, 0, offset)) &&
               indexed.follow<Index>(indices, row.first, 1, offset);
    }

    __device__ T constant() const { return T{}; }
    __device__ bool aligned() const { return (reinterpret_cast<uint64_t>(data) & 15U) == 0; }

    __device__ Key key(Index position) const { return rowKey(arguments.inner.quotient(position)); }

    __device__ Key rowKey(Index row) const {
        // A tuple of no axes has no index.
        return arguments.indexed.tuple == 0 ? 0 : indices[rowAt(row).first];
    }
    __device__ Index rowOffset(Index row, Key index) const {
        Index offset = 0;
        return offsetOf(rowAt(row), index, offset) ? offset : -1;
    }

    __device__ Origin find(Index position, Key index, Run<T>& run) const {
        Index const size = static_cast<Index>(arguments.inner.divisor);
        Index const row = arguments.inner.quotient(position);
        Index const column = position - row * size;
        if (column + kPerWord<T> > size) {
            return Origin::kMixed;
        }
        Index offset = 0;
        if (!offsetOf(rowAt(row), index, offset)) {
            return Origin::kConstant;
        }
        run.begin = data;
        run.from = data + offset + column;
        run.end = data + arguments.total;
        return Origin::kRun;
    }

    __device__ T at(Index position) const {
        Index const row = arguments.inner.quotient(position);
        Index const column = position - row * static_cast<Index>(arguments.inner.divisor);
        Index offset = 0;
        return offsetOf(rowAt(row), key(position), offset) ? data[offset + column] : T{};
    }
};
#endif

enum class Way { kElements, kWords, kAligned };

template <typename Index, Way kWay>
__device__ inline void gather(T const* data, INDEX const* indices, T* to,
                              Arguments const& arguments) {
    GatherMap<Index> const map{data, indices, arguments};
    Index const size = static_cast<Index>(arguments.size);
    if constexpr (kWay == Way::kWords) {
        fillWords<T, Index>(to, size, map);
    } else if constexpr (kWay == Way::kAligned) {
        fillAlignedWords<T, Index>(to, size, map);
    } else {
        fillElements<T, Index>(to, size, map);
    }
}

#define KILN_GATHER(NAME, POSITION, WAY, BLOCKS)                                                   \
    KILN_KERNEL void __launch_bounds__(kThreads, BLOCKS)                                           \
        NAME(T const* data, INDEX const* indices, T* to, KILN_IN_PLACE Arguments arguments) {      \
        gather<POSITION, WAY>(data, indices, to, arguments);                                       \
    }

KILN_GATHER(gather_elements, int32_t, Way::kElements, kWordBlocks)
#if !ELEMENTWISE
KILN_GATHER(gather_words, int32_t, Way::kWords, kWordBlocks)
KILN_GATHER(gather_aligned, int32_t, Way::kAligned, kAlignedWordBlocks)

#define KILN_GATHER_PIECES(NAME, UNIT)                                                             \
    KILN_KERNEL void __launch_bounds__(kThreads, kPieceBlocks)                                     \
        NAME(T const* data, INDEX const* indices, T* to, KILN_IN_PLACE Arguments arguments) {      \
        GatherMap<int32_t> const map{data, indices, arguments};                                    \
        fillPieces<UNIT>(data, to, arguments.pieces, map);                                         \
    }

KILN_GATHER_PIECES(gather_pieces_of_8, uint64_t)
#if !EIGHT_BYTES
KILN_GATHER_PIECES(gather_pieces_of_4, uint32_t)
#endif
#endif
#if WIDE
KILN_GATHER(gather_elements_wide, int64_t, Way::kElements, kWordBlocks)
#if !ELEMENTWISE
KILN_GATHER(gather_words_wide, int64_t, Way::kWords, kWordBlocks)
KILN_GATHER(gather_aligned_wide, int64_t, Way::kAligned, kWordBlocks)
#endif
#endif

#if ELEMENTWISE
KILN_KERNEL void __launch_bounds__(kRowThreads)
    gather_rows(T const* data, INDEX const* indices, T* to, KILN_IN_PLACE Arguments arguments) {
    KILN_DYNAMIC_SHARED(memory, kRowBytes);
    T* const tile = reinterpret_cast<T*>(memory);
    RowTile const rows(arguments.rows, data);
    rows.read(inGlobalMemory(data), tile);
    __syncthreads();
    auto const taken = [&](int row, INDEX index) {
        int const place = rows.placeOf(index);
        return place >= 0 ? tile[rows.lead + row * arguments.rows.length + place] : T{};
    };
    if (arguments.rows.indices % 4 == 0 && beginsFour(indices) && beginsFour(to)) {
        rows.forEach<4>([&](int row, int64_t position) {
            Pack<INDEX, 4> const four = loadFour(indices + position);
            Pack<T, 4> result;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                result.at[i] = taken(row, four.at[i]);
            }
            *reinterpret_cast<Pack<T, 4>*>(to + position) = result;
        });
    } else {
        rows.forEach<1>(
            [&](int row, int64_t position) { to[position] = taken(row, indices[position]); });
    }
}
#endif
