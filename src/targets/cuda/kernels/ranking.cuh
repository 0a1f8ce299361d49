// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Selects and sorts the best of some elements, by the threads of one block. An element and its
// place are one number, the entry: a better entry is greater. So entries are different, and one of
// them is the k-th best, however many elements are equal. It is found digit by digit, as in a radix
// sort: the threads count the entries by their next 11 bits and follow the group that contains it.
// They stop as soon as the whole group belongs to the best.
// Macros: T, an unsigned integer as wide as an element; KILN_INFINITY, the bits of infinity, or 0
// for integers; KILN_UNSIGNED, 1 for unsigned integers; KILN_LONG, 1 for 64-bit elements or places.
#pragma once

#include "threads.cuh"

constexpr int kRankThreads = 512;
constexpr int kDigitBits = 11;
constexpr int kBins = 1 << kDigitBits;
constexpr int kWordDigits = 6;

#if KILN_LONG
struct Entry {
    uint64_t key;
    uint64_t place;
};
constexpr int kDigits = 2 * kWordDigits;

__device__ inline bool operator<(Entry const& a, Entry const& b) {
    return a.key != b.key ? a.key < b.key : a.place < b.place;
}
__device__ inline Entry entryOf(uint64_t key, int64_t index) {
    return {key, ~static_cast<uint64_t>(index)};
}
__device__ inline int64_t indexOf(Entry const& entry) {
    return static_cast<int64_t>(~entry.place);
}
__device__ inline uint64_t wordOf(Entry const& entry, int digit) {
    return digit < kWordDigits ? entry.key : entry.place;
}
__device__ inline void setBits(Entry& entry, int digit, uint64_t bits) {
    (digit < kWordDigits ? entry.key : entry.place) |= bits;
}
/// Whether the words before that of a digit are equal.
__device__ inline bool sameBefore(Entry const& a, Entry const& b, int digit) {
    return digit < kWordDigits || a.key == b.key;
}
__device__ inline Entry shuffled(Entry const& entry, int lanes) {
    return {__shfl_xor_sync(kAllLanes, entry.key, lanes),
            __shfl_xor_sync(kAllLanes, entry.place, lanes)};
}
__device__ inline bool isSame(Entry const& a, Entry const& b) {
    return a.key == b.key && a.place == b.place;
}
#else
typedef uint64_t Entry;
constexpr int kDigits = kWordDigits;

__device__ inline Entry entryOf(uint32_t key, int64_t index) {
    return static_cast<uint64_t>(key) << 32 | static_cast<uint32_t>(~static_cast<uint32_t>(index));
}
__device__ inline int64_t indexOf(Entry entry) {
    return static_cast<uint32_t>(~static_cast<uint32_t>(entry));
}
__device__ inline uint64_t wordOf(Entry entry, int) {
    return entry;
}
__device__ inline void setBits(Entry& entry, int, uint64_t bits) {
    entry |= bits;
}
__device__ inline bool sameBefore(Entry, Entry, int) {
    return true;
}
__device__ inline Entry shuffled(Entry entry, int lanes) {
    return __shfl_xor_sync(kAllLanes, entry, lanes);
}
__device__ inline bool isSame(Entry a, Entry b) {
    return a == b;
}
#endif

/// Orders elements like their numbers, as an unsigned integer whose first bits tell the most: -0
/// equals 0, NaN is above infinity. `flip` has all bits set if the smallest elements are the best.
__device__ inline auto keyOf(T bits, T flip) {
    constexpr T kSign = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
    T ordered = bits;
    if (KILN_INFINITY != 0) {
        T const size = static_cast<T>(bits & static_cast<T>(~kSign));
        T const positive = static_cast<T>(size | kSign);
        ordered = (bits & kSign) != 0 ? static_cast<T>(kSign - size) : positive;
        ordered = size > static_cast<T>(KILN_INFINITY) ? static_cast<T>(~T{0}) : ordered;
    } else if (KILN_UNSIGNED == 0) {
        ordered = static_cast<T>(bits ^ kSign);
    }
    ordered = static_cast<T>(ordered ^ flip);
#if KILN_LONG
    return static_cast<uint64_t>(ordered) << (64 - 8 * sizeof(T));
#else
    return static_cast<uint32_t>(static_cast<uint32_t>(ordered) << (32 - 8 * sizeof(T)));
#endif
}

/// Position of the lowest bit of a digit. The last digit of a word has two bits of the one before.
__device__ inline int shiftOf(int digit) {
    int const inWord = digit % kWordDigits;
    return inWord == kWordDigits - 1 ? 0 : 64 - kDigitBits * (inWord + 1);
}

__device__ inline int digitOf(Entry const& entry, int digit) {
    return static_cast<int>(wordOf(entry, digit) >> shiftOf(digit)) & (kBins - 1);
}

/// Whether two entries have the same digits before `digit`.
__device__ inline bool sharesDigits(Entry const& a, Entry const& b, int digit) {
    if (digit % kWordDigits == 0) {
        return digit == 0 || sameBefore(a, b, digit);
    }
    return sameBefore(a, b, digit) &&
           ((wordOf(a, digit) ^ wordOf(b, digit)) >> shiftOf(digit - 1)) == 0;
}

/// Shared memory of a block.
struct Ranking {
    unsigned bins[kBins];
    unsigned sums[kRankThreads / 32];
    int bin;
    unsigned before; ///< entries in better bins
    unsigned size;   ///< of the bin
    unsigned taken;
};

/// Finds the bin with the `remaining`-th best entry, from the greatest bin on.
__device__ inline void findBin(Ranking& shared, unsigned remaining) {
    constexpr int kShare = kBins / kRankThreads;
    int const thread = static_cast<int>(threadIdx.x);
    int const top = kBins - 1 - thread * kShare;
    unsigned own = 0;
    for (int i = 0; i < kShare; ++i) {
        own += shared.bins[top - i];
    }
    unsigned upTo = own;
    for (int step = 1; step < 32; step *= 2) {
        unsigned const lower = __shfl_up_sync(kAllLanes, upTo, step);
        upTo += thread % 32 >= step ? lower : 0;
    }
    if (thread % 32 == 31) {
        shared.sums[thread / 32] = upTo;
    }
    __syncthreads();
    for (int warp = 0; warp < thread / 32; ++warp) {
        upTo += shared.sums[warp];
    }
    unsigned before = upTo - own;
    if (before < remaining && remaining <= upTo) {
        for (int i = 0; i < kShare; ++i) {
            unsigned const size = shared.bins[top - i];
            if (remaining <= before + size) {
                shared.bin = top - i;
                shared.before = before;
                shared.size = size;
                break;
            }
            before += size;
        }
    }
    __syncthreads();
}

/// An entry that exactly k of the `count` entries of a source reach; k from 1 to count. Source:
/// Entry at(int64_t i) const.
template <typename Source>
__device__ inline Entry thresholdOf(Source const& source, int64_t count, int64_t k,
                                    Ranking& shared) {
    Entry threshold{};
    auto remaining = static_cast<unsigned>(k);
    for (int digit = 0; k < count && digit < kDigits; ++digit) {
        for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kRankThreads) {
            shared.bins[bin] = 0;
        }
        __syncthreads();
#pragma unroll 4
        for (int64_t i = threadIdx.x; i < count; i += kRankThreads) {
            Entry const entry = source.at(i);
            if (sharesDigits(entry, threshold, digit)) {
                atomicAdd(&shared.bins[digitOf(entry, digit)], 1U);
            }
        }
        __syncthreads();
        findBin(shared, remaining);
        setBits(threshold, digit, static_cast<uint64_t>(shared.bin) << shiftOf(digit));
        remaining -= shared.before;
        bool const whole = shared.size == remaining;
        __syncthreads(); // the next round writes to the bins
        if (whole) {
            break;
        }
    }
    return threshold;
}

/// Writes the best k entries of a source to a list, in any order.
template <typename Source>
__device__ inline void collectBest(Source const& source, int64_t count, int64_t k, Entry* list,
                                   Ranking& shared) {
    Entry const threshold = thresholdOf(source, count, k, shared);
    if (threadIdx.x == 0) {
        shared.taken = 0;
    }
    __syncthreads();
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < count; i += kRankThreads) {
        Entry const entry = source.at(i);
        if (!(entry < threshold)) {
            list[atomicAdd(&shared.taken, 1U)] = entry;
        }
    }
    __syncthreads();
}

/// One step of a bitonic sort: puts the pairs of a tile in order that are `stride` apart. The tile
/// is at `offset` of a list in which runs of `size` entries become sorted.
__device__ inline void orderPairs(Entry* tile, int64_t length, int64_t stride, int64_t size,
                                  int64_t offset) {
    for (int64_t i = threadIdx.x; i < length / 2; i += kRankThreads) {
        int64_t const low = 2 * i - (i & (stride - 1));
        Entry const a = tile[low];
        Entry const b = tile[low + stride];
        if ((a < b) == (((low + offset) & size) == 0)) {
            tile[low] = b;
            tile[low + stride] = a;
        }
    }
    __syncthreads();
}

__device__ inline void padList(Entry* list, int64_t count, int64_t padded) {
    for (int64_t i = count + threadIdx.x; i < padded; i += kRankThreads) {
        list[i] = Entry{};
    }
    __syncthreads();
}

/// Sorts a list of `count` entries, the best first. It has room for `padded`, a power of two.
__device__ inline void sortBest(Entry* list, int64_t count, int64_t padded) {
    padList(list, count, padded);
    for (int64_t size = 2; size <= padded; size *= 2) {
        for (int64_t stride = size / 2; stride > 0; stride /= 2) {
            orderPairs(list, padded, stride, size, 0);
        }
    }
}

/// The same for a list that does not fit shared memory, of at least kTile entries: pairs that are
/// near each other are put in order in a tile there.
template <int kTile>
__device__ inline void sortLong(Entry* list, int64_t count, int64_t padded, Entry (&tile)[kTile]) {
    padList(list, count, padded);
    for (int64_t size = kTile; size <= padded; size *= 2) {
        for (int64_t stride = size / 2; stride >= kTile; stride /= 2) {
            orderPairs(list, padded, stride, size, 0);
        }
        for (int64_t offset = 0; offset < padded; offset += kTile) {
            for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kRankThreads) {
                tile[i] = list[offset + i];
            }
            __syncthreads();
            for (int64_t small = size == kTile ? 2 : size; small <= size; small *= 2) {
                int64_t const first = small < kTile ? small / 2 : kTile / 2;
                for (int64_t stride = first; stride > 0; stride /= 2) {
                    orderPairs(tile, kTile, stride, small, offset);
                }
            }
            for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kRankThreads) {
                list[offset + i] = tile[i];
            }
            __syncthreads();
        }
    }
}
