// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter: two launches. The first copies the data in words of 16 bytes, the second writes the
// updates over the copy. With ELEMENTWISE, each update has its own index along one axis; otherwise
// indices [count, tuple] select parts of `inner` units, which are words of 16 bytes if all parts
// are aligned. If many parts are updated, the first launch instead marks in the workspace which
// update each part of the data gets, and the second writes each part once. Negative indices count
// from the end; updates outside of the data are left out. Macros: T, INDEX (type of the indices),
// ELEMENTWISE (0 or 1), WIDE (0 or 1).
#include "copied_elements.cuh"
#include "indexed_axes.cuh"
#include "threads.cuh"

#if ELEMENTWISE
#include "element_rows.cuh"
#endif

struct Arguments {
    int64_t bytes; ///< of the data
    int64_t size;  ///< elements of the updates
    FastDivide inner;
    FastDivide innerWords; ///< 0 as divisor: parts are not whole words
    IndexedAxes indexed;
    int64_t updates; ///< parts
#if ELEMENTWISE
    ElementRows rows;
#endif
};

constexpr int kMergeThreads = 256;

KILN_KERNEL void copy_data(T const* data, INDEX const*, T const*, T* to, void*,
                           Arguments arguments) {
    copyElements(data, to, arguments.bytes / static_cast<int64_t>(sizeof(T)));
}

#if ELEMENTWISE
template <typename Index>
__device__ inline void writeUpdates(INDEX const* indices, T const* updates, T* to,
                                    Arguments const& arguments) {
    for (int64_t number = threadIndex(); number < arguments.size; number += threadCount()) {
        auto const position = static_cast<Index>(number);
        Index offset = 0;
        arguments.indexed.keepCoordinates(position, offset);
        if (arguments.indexed.take<Index>(indices[position], 0, offset)) {
            to[offset] = updates[position];
        }
    }
}
#else
/// Moves units U of parts of `inner` units; the steps are in elements.
template <typename Index, typename U>
__device__ inline void writeParts(INDEX const* indices, U const* updates, U* to, FastDivide inner,
                                  Arguments const& arguments) {
    constexpr int kElements = static_cast<int>(sizeof(U) / sizeof(T));
    int64_t const count = arguments.size / kElements;
    for (int64_t number = threadIndex(); number < count; number += threadCount()) {
        auto const position = static_cast<Index>(number);
        Index const part = inner.quotient(position);
        Index const column = position - part * static_cast<Index>(inner.divisor);
        Index offset = 0;
        Index const first = part * static_cast<Index>(arguments.indexed.tuple);
        if (arguments.indexed.follow<Index>(indices, first, 0, offset)) {
            to[offset / kElements + column] = updates[position];
        }
    }
}

template <typename Index>
__device__ inline void writeUpdates(INDEX const* indices, T const* updates, T* to,
                                    Arguments const& arguments) {
    if (arguments.innerWords.divisor != 0 && isAligned16(updates) && isAligned16(to)) {
        writeParts<Index>(indices, reinterpret_cast<Word const*>(updates),
                          reinterpret_cast<Word*>(to), arguments.innerWords, arguments);
    } else {
        writeParts<Index>(indices, updates, to, arguments.inner, arguments);
    }
}
#endif

#if !ELEMENTWISE
/// marks[part of the data] = its update. Other marks stay as the workspace was.
KILN_KERNEL void mark_parts(T const*, INDEX const* indices, T const*, T*, int32_t* marks,
                            KILN_IN_PLACE Arguments arguments) {
    int32_t const updates = static_cast<int32_t>(arguments.updates);
    for (int64_t i = threadIndex(); i < updates; i += threadCount()) {
        int32_t offset = 0;
        int32_t const update = static_cast<int32_t>(i);
        int32_t const first = update * arguments.indexed.tuple;
        if (arguments.indexed.follow<int32_t>(indices, first, 0, offset)) {
            marks[arguments.inner.quotient(offset)] = update;
        }
    }
}

/// The update of a part, or -1. Any number may be the mark of a part without updates; then either
/// there is no such update, or it goes to another part.
__device__ inline int32_t updateOf(int32_t part, int32_t mark, INDEX const* indices,
                                   Arguments const& arguments) {
    int32_t offset = 0;
    bool const is =
        mark >= 0 && mark < arguments.updates &&
        arguments.indexed.follow<int32_t>(indices, mark * arguments.indexed.tuple, 0, offset) &&
        offset == part * static_cast<int32_t>(arguments.inner.divisor);
    return is ? mark : -1;
}

/// Parts of words that are not aligned, element by element.
__device__ inline void mergeElements(T const* data, INDEX const* indices, T const* updates, T* to,
                                     int32_t const* marks, Arguments const& arguments) {
    int64_t const count = arguments.bytes / static_cast<int64_t>(sizeof(T));
    for (int64_t number = threadIndex(); number < count; number += threadCount()) {
        auto const position = static_cast<int32_t>(number);
        int32_t const part = arguments.inner.quotient(position);
        int32_t const inner = static_cast<int32_t>(arguments.inner.divisor);
        int32_t const update = updateOf(part, marks[part], indices, arguments);
        if (update >= 0) {
            to[position] = updates[update * inner + (position - part * inner)];
        } else if (data != to) {
            to[position] = data[position];
        }
    }
}

/// A warp writes 4 * 32 neighbouring words. They belong to fewer than 32 parts, so each lane looks
/// for the update of one part.
KILN_KERNEL void __launch_bounds__(kMergeThreads)
    merge_parts(T const* data, INDEX const* indices, T const* updates, T* to, int32_t const* marks,
                KILN_IN_PLACE Arguments arguments) {
    if (!isAligned16(data) || !isAligned16(updates) || !isAligned16(to)) {
        mergeElements(data, indices, updates, to, marks, arguments);
        return;
    }
    int32_t const words = static_cast<int32_t>(arguments.bytes / 16);
    int32_t const inner = static_cast<int32_t>(arguments.innerWords.divisor);
    int32_t const lane = static_cast<int32_t>(threadIdx.x) % 32;
    int32_t const first = static_cast<int32_t>(threadIndex()) / 32 * (32 * kHeldWords);
    if (first >= words) {
        return;
    }
    int32_t const firstPart = arguments.innerWords.quotient(first);
    int32_t const lastPart = arguments.innerWords.quotient(words - 1);
    int32_t const own = firstPart + lane < lastPart ? firstPart + lane : lastPart;
    int32_t const ownUpdate = updateOf(own, marks[own], indices, arguments);
    // From the place of a word in the data to its place in the updates.
    int32_t const ownStep = ownUpdate < 0 ? 0 : (ownUpdate - own) * inner;
    Word held[kHeldWords];
    bool writes[kHeldWords];
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        int32_t const at = first + i * 32 + lane;
        int32_t const part = arguments.innerWords.quotient(at < words ? at : words - 1) - firstPart;
        bool const updated = __shfl_sync(kAllLanes, ownUpdate, part) >= 0;
        int32_t const step = __shfl_sync(kAllLanes, ownStep, part);
        writes[i] = at < words && (updated || data != to);
        if (writes[i]) {
            T const* const source = updated ? updates : data;
            held[i] = reinterpret_cast<Word const*>(inGlobalMemory(source))[at + step];
        }
    }
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        if (writes[i]) {
            reinterpret_cast<Word*>(to)[first + i * 32 + lane] = held[i];
        }
    }
}
#endif

KILN_KERNEL void write_updates(T const*, INDEX const* indices, T const* updates, T* to, void*,
                               KILN_IN_PLACE Arguments arguments) {
    writeUpdates<int32_t>(indices, updates, to, arguments);
}
#if WIDE
KILN_KERNEL void write_updates_wide(T const*, INDEX const* indices, T const* updates, T* to, void*,
                                    KILN_IN_PLACE Arguments arguments) {
    writeUpdates<int64_t>(indices, updates, to, arguments);
}
#endif

#if ELEMENTWISE
/// One launch for both: updates are written to rows in shared memory.
KILN_KERNEL void __launch_bounds__(kRowThreads)
    scatter_rows(T const* data, INDEX const* indices, T const* updates, T* to, void*,
                 KILN_IN_PLACE Arguments arguments) {
    KILN_DYNAMIC_SHARED(memory, kRowBytes);
    T* const tile = reinterpret_cast<T*>(memory);
    RowTile const rows(arguments.rows, data);
    rows.read(inGlobalMemory(data), tile);
    __syncthreads();
    auto const put = [&](int row, INDEX index, T update) {
        int const place = rows.placeOf(index);
        if (place >= 0) {
            tile[rows.lead + row * arguments.rows.length + place] = update;
        }
    };
    if (arguments.rows.indices % 4 == 0 && beginsFour(indices) && beginsFour(updates)) {
        rows.forEach<4>([&](int row, int64_t position) {
            Pack<INDEX, 4> const four = loadFour(indices + position);
            Pack<T, 4> const update = loadFour(updates + position);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                put(row, four.at[i], update.at[i]);
            }
        });
    } else {
        rows.forEach<1>(
            [&](int row, int64_t position) { put(row, indices[position], updates[position]); });
    }
    __syncthreads();
    rows.write(tile, to);
}
#endif
