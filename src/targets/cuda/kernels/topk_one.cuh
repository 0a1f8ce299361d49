// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The best element of each lane. A thread keeps the best that it has seen, with its place, and
// reads packs of 16 bytes where lanes are rows that begin at such addresses. A warp takes a row, or
// a block takes a part of a long one; where lanes are columns, neighbouring threads take
// neighbouring columns. Macros: topk.cuh.
#pragma once

#include "topk_lanes.cuh"

constexpr int kOneThreads = 256;
constexpr int kPackElements = 16 / sizeof(T);

/// The best of what a thread has seen. Of equal elements the first one is the best, so places come
/// in order.
struct Best {
#if KILN_LONG
    typedef uint64_t Key;
    typedef int64_t Index;
#else
    typedef uint32_t Key;
    typedef int32_t Index;
#endif
    Key key = 0;
    Index index = -1;

    __device__ void see(T value, int64_t at, T flip) {
        Key const other = keyOf(value, flip);
        bool const better = other > key || index < 0;
        key = better ? other : key;
        index = better ? static_cast<Index>(at) : index;
    }
    /// Zero, which is worse than any other, if there was nothing to see.
    __device__ Entry entry() const { return index < 0 ? Entry{} : entryOf(key, index); }
};

__device__ inline Entry better(Entry const& a, Entry const& b) {
    return a < b ? b : a;
}

__device__ inline Entry bestOfWarp(Entry entry) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        entry = better(entry, shuffled(entry, lanes));
    }
    return entry;
}

/// Sees the elements `thread`, `thread` + `threads`, ... of a part of a row, kWidth for each.
template <int kWidth>
__device__ inline void seeRow(Best& best, T const* row, int64_t first, int64_t end, int thread,
                              int threads, T flip) {
    constexpr int kAtOnce = kWidth > 1 ? 4 : 8;
    int64_t const step = static_cast<int64_t>(threads) * kWidth;
    for (int64_t at = first + thread * kWidth; at < end; at += step * kAtOnce) {
        Pack<T, kWidth> held[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) { // past the end, the first again: it is not better
            int64_t const from = at + i * step < end ? at + i * step : at;
            held[i] = *reinterpret_cast<Pack<T, kWidth> const*>(row + from);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            int64_t const from = at + i * step < end ? at + i * step : at;
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                best.see(held[i].at[k], from + k, flip);
            }
        }
    }
}

#if KILN_INFINITY != 0
__device__ inline float numberOf(T bits) {
#if KILN_INFINITY == 0x7c00
    return toFloat(half_t{bits});
#else
    return __uint_as_float(static_cast<uint32_t>(bits) << (32 - 8 * sizeof(T)));
#endif
}
#endif

/// The same for floating-point elements, which numbers compare in fewer operations than keys. False
/// if there was none: the largest is a NaN or minus infinity, or the smallest plus infinity.
template <int kWidth, bool kLargest>
__device__ inline bool seeNumbers(Best& best, T const* row, int64_t first, int64_t end, int thread,
                                  int threads, T flip) {
#if KILN_INFINITY != 0
    constexpr int kAtOnce = kWidth > 1 ? 4 : 8;
    float most = kLargest ? -infinity() : infinity();
    Best::Index index = -1;
    int64_t const step = static_cast<int64_t>(threads) * kWidth;
    for (int64_t at = first + thread * kWidth; at < end; at += step * kAtOnce) {
        Pack<T, kWidth> held[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            int64_t const from = at + i * step < end ? at + i * step : at;
            held[i] = *reinterpret_cast<Pack<T, kWidth> const*>(row + from);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            auto const from = static_cast<Best::Index>(at + i * step < end ? at + i * step : at);
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                float const number = numberOf(held[i].at[k]);
                bool const better = kLargest ? !(number <= most) : number < most;
                most = better ? number : most;
                index = better ? from + k : index;
            }
        }
    }
    if (most == most && index >= 0) {
        best.see(row[index], index, flip);
        return true;
    }
#endif
    return false;
}

template <int kWidth>
__device__ inline void seeRange(Best& best, T const* row, int64_t first, int64_t end, int thread,
                                int threads, T flip) {
    bool const found =
        KILN_INFINITY != 0 &&
        (flip == 0 ? seeNumbers<kWidth, true>(best, row, first, end, thread, threads, flip)
                   : seeNumbers<kWidth, false>(best, row, first, end, thread, threads, flip));
    if (!found) {
        seeRow<kWidth>(best, row, first, end, thread, threads, flip);
    }
}

/// The same by packs, if the row and its part begin and end at multiples of 16 bytes.
__device__ inline void seePart(Best& best, T const* row, int64_t first, int64_t end, int thread,
                               int threads, T flip) {
    if (isAligned16(row) && (first | end) % kPackElements == 0) {
        seeRange<kPackElements>(best, row, first, end, thread, threads, flip);
    } else {
        seeRange<1>(best, row, first, end, thread, threads, flip);
    }
}

KILN_KERNEL void __launch_bounds__(kOneThreads)
    one_of_rows(T const* from, KILN_COUNT T* values, INDEX* indices, void*, Arguments arguments) {
    int const own = static_cast<int>(threadIdx.x) % 32;
    int64_t const warps = static_cast<int64_t>(blockDim.x) / 32;
    for (int64_t number = blockIdx.x * warps + threadIdx.x / 32; number < arguments.lanes;
         number += gridDim.x * warps) {
        Lane const lane = laneOf(from, number, 0, arguments);
        Best best;
        seePart(best, lane.from, 0, arguments.extent, own, 32, lane.flip);
        Entry const entry = bestOfWarp(best.entry());
        if (own == 0) {
            writeResult(lane, number, 0, entry, values, indices, arguments);
        }
    }
}

/// A block for each part of a lane; it writes the result, or the part's best to [lane, part].
KILN_KERNEL void __launch_bounds__(kOneThreads)
    one_of_parts(T const* from, KILN_COUNT T* values, INDEX* indices, void* work,
                 Arguments arguments) {
    __shared__ Entry shared[kOneThreads / 32];
    int64_t const number = blockIdx.x / arguments.parts;
    int64_t const part = blockIdx.x - number * arguments.parts;
    int64_t const packs = (arguments.extent + kPackElements - 1) / kPackElements;
    int64_t const first = part * packs / arguments.parts * kPackElements;
    int64_t const most = (part + 1) * packs / arguments.parts * kPackElements;
    Lane const lane = laneOf(from, number, 0, arguments);
    Best best;
    seePart(best, lane.from, first, most < arguments.extent ? most : arguments.extent,
            static_cast<int>(threadIdx.x), kOneThreads, lane.flip);
    Entry entry = bestOfWarp(best.entry());
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x / 32] = entry;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < kOneThreads / 32; ++warp) {
            entry = better(entry, shared[warp]);
        }
        if (arguments.parts == 1) {
            writeResult(lane, number, 0, entry, values, indices, arguments);
        } else {
            static_cast<Entry*>(work)[blockIdx.x] = entry;
        }
    }
}

/// Joins the parts of a lane; a warp for each.
KILN_KERNEL void __launch_bounds__(kOneThreads)
    one_of_all(T const* from, KILN_COUNT T* values, INDEX* indices, void* work,
               Arguments arguments) {
    int const own = static_cast<int>(threadIdx.x) % 32;
    int64_t const number =
        static_cast<int64_t>(blockIdx.x) * (kOneThreads / 32) + threadIdx.x / 32;
    if (number >= arguments.lanes) {
        return;
    }
    Entry entry{};
    for (int64_t part = own; part < arguments.parts; part += 32) {
        entry = better(entry, static_cast<Entry const*>(work)[number * arguments.parts + part]);
    }
    entry = bestOfWarp(entry);
    if (own == 0) {
        writeResult(laneOf(from, number, 0, arguments), number, 0, entry, values, indices,
                    arguments);
    }
}

/// `padded` threads of a block share a column.
KILN_KERNEL void __launch_bounds__(kOneThreads)
    one_of_columns(T const* from, KILN_COUNT T* values, INDEX* indices, void*,
                   Arguments arguments) {
    __shared__ Entry shared[kOneThreads];
    int const sharers = static_cast<int>(arguments.padded);
    int const width = kOneThreads / sharers;
    int const column = static_cast<int>(threadIdx.x) % width;
    int const sharer = static_cast<int>(threadIdx.x) / width;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * width; first < arguments.lanes;
         first += static_cast<int64_t>(gridDim.x) * width) {
        bool const inside = first + column < arguments.lanes;
        int64_t const number = inside ? first + column : 0;
        Lane const lane = laneOf(from, number, 0, arguments);
        Best best;
#pragma unroll 8
        for (int64_t i = inside ? sharer : arguments.extent; i < arguments.extent; i += sharers) {
            best.see(lane.value(i), i, lane.flip);
        }
        Entry entry = best.entry();
        if (sharers > 1) {
            __syncthreads(); // the entries may still be read
            shared[threadIdx.x] = entry;
            __syncthreads();
            for (int i = 1; i < sharers && sharer == 0; ++i) {
                entry = better(entry, shared[i * width + column]);
            }
        }
        if (inside && sharer == 0) {
            writeResult(lane, number, 0, entry, values, indices, arguments);
        }
    }
}
