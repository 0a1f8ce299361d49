// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts numbers with their places, the least first: a key and the place are one entry, so that no
// two are equal. sortTile puts a tile of kTile entries in order by a bitonic sort in shared memory;
// mergeTile writes the entries of a tile of two merged runs. The block finds where its entries
// begin in both runs by a binary search, and each thread does the same for its own entries in
// shared memory (Green, McColl and Bader, "GPU merge path", 2012). Macro: KILN_LONG, 1 for 64-bit
// numbers; others have fewer than 2^32 places.
#pragma once

#include "numbers.cuh"

constexpr int kTile = 2048;
constexpr int kSortThreads = 256;
constexpr int kOwn = kTile / kSortThreads; ///< entries of a thread

/// A number as an unsigned one of the same order: -0 equals 0, NaN is above infinity.
__device__ inline uint32_t orderedBits(float value) {
    uint32_t const bits = value == 0.0F ? 0U : __float_as_uint(value);
    uint32_t const ordered = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
    return value != value ? 0xffffffffU : ordered;
}
__device__ inline uint32_t orderedBits(int32_t value) {
    return static_cast<uint32_t>(value) ^ 0x80000000U;
}
__device__ inline uint64_t orderedBits(int64_t value) {
    return static_cast<uint64_t>(value) ^ (uint64_t{1} << 63);
}

#if KILN_LONG
struct alignas(16) Entry {
    uint64_t key;
    uint64_t place;
};

__device__ inline bool operator<(Entry const& a, Entry const& b) {
    return a.key != b.key ? a.key < b.key : a.place < b.place;
}
template <typename T>
__device__ inline Entry entryOf(T element, int64_t place) {
    return {orderedBits(static_cast<int64_t>(numberOf(element))), static_cast<uint64_t>(place)};
}
__device__ inline Entry lastEntry() {
    return {~uint64_t{0}, ~uint64_t{0}};
}
__device__ inline int64_t placeOf(Entry const& entry) {
    return static_cast<int64_t>(entry.place);
}
__device__ inline bool sameNumbers(Entry const& a, Entry const& b) {
    return a.key == b.key;
}
#else
typedef uint64_t Entry;

__device__ inline Entry entryOf(uint32_t key, int64_t place) {
    return static_cast<uint64_t>(key) << 32 | static_cast<uint32_t>(place);
}
template <typename T>
__device__ inline Entry entryOf(T element, int64_t place) {
    auto const number = numberOf(element);
    if constexpr (Integers<decltype(numberOf(element))>::kAre) {
        return entryOf(orderedBits(static_cast<int32_t>(number)), place);
    } else {
        return entryOf(orderedBits(number), place);
    }
}
__device__ inline Entry lastEntry() {
    return ~uint64_t{0};
}
__device__ inline int64_t placeOf(Entry entry) {
    return static_cast<int64_t>(entry & 0xffffffffU);
}
__device__ inline bool sameNumbers(Entry a, Entry b) {
    return a >> 32 == b >> 32;
}
#endif

__device__ inline int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/// Sorts `tile`, in shared memory, whose entries behind the last one are lastEntry().
__device__ inline void sortTile(Entry (&tile)[kTile]) {
    for (int size = 2; size <= kTile; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
#pragma unroll
            for (int i = static_cast<int>(threadIdx.x); i < kTile / 2; i += kSortThreads) {
                int const low = 2 * i - (i & (stride - 1));
                Entry const a = tile[low];
                Entry const b = tile[low + stride];
                if ((b < a) == ((low & size) == 0)) {
                    tile[low] = b;
                    tile[low + stride] = a;
                }
            }
        }
    }
    __syncthreads();
}

/// Two sorted runs.
struct Runs {
    Entry const* one;
    Entry const* other;
    int64_t oneSize;
    int64_t otherSize;

    /// How many of the first `count` entries of both are those of the first run.
    __device__ int64_t split(int64_t count) const {
        int64_t low = count < otherSize ? 0 : count - otherSize;
        int64_t high = lesser(count, oneSize);
        while (low < high) {
            int64_t const middle = (low + high) / 2;
            if (one[middle] < other[count - 1 - middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

/// Writes the entries [begin, end) of two merged runs to `to + begin`; a tile at most.
__device__ inline void mergeTile(Runs const& runs, int64_t begin, int64_t end, Entry* to) {
    __shared__ Entry held[kTile];
    __shared__ int64_t splits[2];
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
        splits[threadIdx.x / 32] = runs.split(threadIdx.x == 0 ? begin : end);
    }
    __syncthreads();
    int64_t const first = splits[0];
    int const size = static_cast<int>(end - begin);
    int const ones = static_cast<int>(splits[1] - first);
    Entry const* const one = runs.one + first;
    Entry const* const other = runs.other + (begin - first);
    for (int i = static_cast<int>(threadIdx.x); i < size; i += kSortThreads) {
        held[i] = i < ones ? one[i] : other[i - ones];
    }
    __syncthreads();
    int const start = static_cast<int>(lesser(static_cast<int64_t>(threadIdx.x) * kOwn, size));
    Runs const own{held, held + ones, ones, size - ones};
    int i = static_cast<int>(own.split(start));
    int k = ones + start - i;
    Entry merged[kOwn];
#pragma unroll
    for (int at = 0; at < kOwn; ++at) {
        if (start + at < size) {
            bool const isOne = k >= size || (i < ones && held[i] < held[k]);
            merged[at] = held[isOne ? i : k];
            i += isOne ? 1 : 0;
            k += isOne ? 0 : 1;
        }
    }
    __syncthreads();
#pragma unroll
    for (int at = 0; at < kOwn; ++at) {
        if (start + at < size) {
            held[start + at] = merged[at];
        }
    }
    __syncthreads();
    for (int at = static_cast<int>(threadIdx.x); at < size; at += kSortThreads) {
        to[begin + at] = held[at];
    }
}
