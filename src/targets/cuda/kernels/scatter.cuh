// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter: two launches. The first copies the data in words of 16 bytes, the second writes the
// updates over the copy. With ELEMENTWISE, each update has its own index along one axis; otherwise
// indices [count, tuple] select parts of `inner` units, which are words of 16 bytes if all parts
// are aligned. Negative indices count from the end; updates outside of the data are left out.
// Macros: T, INDEX (type of the indices), ELEMENTWISE (0 or 1), WIDE (0 or 1).
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
#if ELEMENTWISE
    ElementRows rows;
#endif
};

typedef Pack<uint32_t, 4> Word;
constexpr int kHeldWords = 4;

KILN_KERNEL void copy_data(T const* data, INDEX const*, T const*, T* to, Arguments arguments) {
    auto const* const from = reinterpret_cast<uint8_t const*>(data);
    auto* const target = reinterpret_cast<uint8_t*>(to);
    if (from == target) {
        return;
    }
    bool const aligned = isAligned16(from) && isAligned16(target);
    int64_t const words = aligned ? arguments.bytes / 16 : 0;
    int64_t const perBlock = static_cast<int64_t>(blockDim.x) * kHeldWords;
    for (int64_t first = blockIdx.x * perBlock + threadIdx.x; first < words;
         first += gridDim.x * perBlock) {
        Word held[kHeldWords];
#pragma unroll
        for (int i = 0; i < kHeldWords; ++i) {
            if (int64_t const at = first + i * blockDim.x; at < words) {
                held[i] = reinterpret_cast<Word const*>(from)[at];
            }
        }
#pragma unroll
        for (int i = 0; i < kHeldWords; ++i) {
            if (int64_t const at = first + i * blockDim.x; at < words) {
                reinterpret_cast<Word*>(target)[at] = held[i];
            }
        }
    }
    for (int64_t at = words * 16 + threadIndex(); at < arguments.bytes; at += threadCount()) {
        target[at] = from[at];
    }
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

KILN_KERNEL void write_updates(T const*, INDEX const* indices, T const* updates, T* to,
                               KILN_IN_PLACE Arguments arguments) {
    writeUpdates<int32_t>(indices, updates, to, arguments);
}
#if WIDE
KILN_KERNEL void write_updates_wide(T const*, INDEX const* indices, T const* updates, T* to,
                                    KILN_IN_PLACE Arguments arguments) {
    writeUpdates<int64_t>(indices, updates, to, arguments);
}
#endif

#if ELEMENTWISE
/// One launch for both: updates are written to rows in shared memory.
KILN_KERNEL void __launch_bounds__(kRowThreads)
    scatter_rows(T const* data, INDEX const* indices, T const* updates, T* to,
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
        rows.forEach<1>([&](int row, int64_t position) {
            put(row, indices[position], updates[position]);
        });
    }
    __syncthreads();
    rows.write(tile, to);
}
#endif
