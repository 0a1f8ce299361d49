// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts numbers with their places, the least first: a key and the place are one entry, so that no
// two are equal. sortTile puts a tile of kTile entries in order, in shared memory; mergeTile writes
// the entries of a tile of two merged runs. A block finds where its entries begin in both runs by a
// search, and each thread does the same for its own entries in shared memory (Green, McColl and
// Bader, "GPU merge path", 2012). Macro: KILN_LONG, 1 for 64-bit
// numbers; others have fewer than 2^32 places.
#pragma once

#include "numbers.cuh"
#include "threads.cuh"

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

/// How many of the first `count` entries of two sorted runs are those of the first run.
__device__ inline int splitHeld(Entry const* one, int ones, Entry const* other, int others,
                                int count) {
    int low = count < others ? 0 : count - others;
    int high = count < ones ? count : ones;
    while (low < high) {
        int const middle = (low + high) / 2;
        if (one[middle] < other[count - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The entries of a thread, from number `begin` on, of two sorted runs in shared memory.
__device__ inline void mergeOwn(Entry const* one, int ones, Entry const* other, int others,
                                int begin, Entry (&own)[kOwn]) {
    int i = splitHeld(one, ones, other, others, begin);
    int k = begin - i;
#pragma unroll
    for (int at = 0; at < kOwn; ++at) {
        if (begin + at < ones + others) {
            bool const isOne = k >= others || (i < ones && one[i] < other[k]);
            own[at] = isOne ? one[i] : other[k];
            i += isOne ? 1 : 0;
            k += isOne ? 0 : 1;
        }
    }
}

/// Sorts `tile`, in shared memory, whose entries behind the last one are lastEntry(). Each thread
/// sorts its own entries, of which passes then merge runs.
__device__ inline void sortTile(Entry (&tile)[kTile]) {
    int const base = static_cast<int>(threadIdx.x) * kOwn;
    Entry own[kOwn];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
        own[i] = tile[base + i];
    }
#pragma unroll
    for (int round = 0; round < kOwn; ++round) {
#pragma unroll
        for (int i = round % 2; i + 1 < kOwn; i += 2) {
            Entry const a = own[i];
            Entry const b = own[i + 1];
            own[i] = b < a ? b : a;
            own[i + 1] = b < a ? a : b;
        }
    }
    for (int length = kOwn; length <= kTile; length *= 2) {
        __syncthreads(); // all threads have read theirs
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            tile[base + i] = own[i];
        }
        __syncthreads();
        if (length < kTile) {
            Entry const* const one = tile + (base & ~(2 * length - 1));
            mergeOwn(one, length, one + length, length, base & (2 * length - 1), own);
        }
    }
}

/// Two sorted runs.
struct Runs {
    Entry const* one;
    Entry const* other;
    int64_t oneSize;
    int64_t otherSize;

    /// Like splitHeld(), by the threads of a warp, which look at 32 entries at a time.
    __device__ int64_t split(int64_t count) const {
        int64_t low = count < otherSize ? 0 : count - otherSize;
        int64_t high = lesser(count, oneSize);
        int const lane = static_cast<int>(threadIdx.x) % 32;
        while (low < high) {
            int64_t const step = (high - low + 31) / 32;
            int64_t const at = low + (lane + 1) * step - 1;
            bool const isBefore = at < high && one[at] < other[count - 1 - at];
            int const before = __popc(__ballot_sync(kAllLanes, isBefore ? 1 : 0));
            high = lesser(high, low + (before + 1) * step - 1);
            low += before * step;
        }
        return low;
    }
};

/// Writes the entries [begin, end) of two merged runs to `to + begin`; a tile at most.
__device__ inline void mergeTile(Runs const& runs, int64_t begin, int64_t end, Entry* to) {
    __shared__ Entry held[kTile];
    __shared__ int64_t splits[2];
    if (threadIdx.x < 64) {
        int64_t const split = runs.split(threadIdx.x < 32 ? begin : end);
        if (threadIdx.x % 32 == 0) {
            splits[threadIdx.x / 32] = split;
        }
    }
    __syncthreads();
    int64_t const first = splits[0];
    int const size = static_cast<int>(end - begin);
    int const ones = static_cast<int>(splits[1] - first);
    Entry const* const one = runs.one + first;
    Entry const* const other = runs.other + (begin - first);
#pragma unroll
    for (int at = 0; at < kTile; at += kSortThreads) {
        int const i = at + static_cast<int>(threadIdx.x);
        if (i < size) {
            held[i] = i < ones ? one[i] : other[i - ones];
        }
    }
    __syncthreads();
    int const start = static_cast<int>(threadIdx.x) * kOwn;
    Entry merged[kOwn];
    if (start < size) {
        mergeOwn(held, ones, held + ones, size - ones, start, merged);
    }
    __syncthreads();
#pragma unroll
    for (int at = 0; at < kOwn; ++at) {
        if (start + at < size) {
            held[start + at] = merged[at];
        }
    }
    __syncthreads();
#pragma unroll
    for (int at = 0; at < kTile; at += kSortThreads) {
        int const i = at + static_cast<int>(threadIdx.x);
        if (i < size) {
            to[begin + i] = held[i];
        }
    }
}
