// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KVCacheUpdate: rows of the update go to the cache [batch, heads, capacity, size], from a position
// of each sequence on; what would lie outside is left out. If the output is not in the memory of
// the cache, the other rows are copied in the same pass. A thread has kHeld units of a row in
// flight: 16 bytes each, or one. KILN_HAS_LENGTHS, KILN_PACKED: see graph/ops/kv_cache_update.h.
// KILN_START, KILN_LENGTH: types of positions and lengths. KILN_WIDE: whether operands may have
// 2^31 words or more.
#include "fast_divide.cuh"
#include "threads.cuh"

struct Arguments {
    int64_t bytes; ///< of the cache
    FastDivide heads;
    FastDivide capacity;
    FastDivide length; ///< rows of each head of the update; packed: tokens
    FastDivide bytesOfRow;
    FastDivide wordsOfRow; ///< of 16 bytes
    int64_t rows;          ///< of the update
    int64_t batch;
};

constexpr int kHeld = 4;
typedef Pack<uint32_t, 4> Wide;

#if KILN_HAS_LENGTHS
#define KILN_OPERANDS                                                                              \
    uint8_t const *cache, uint8_t const *update, KILN_START const *starts,                         \
        KILN_LENGTH const *lengths, uint8_t *to, KILN_IN_PLACE Arguments arguments
#else
#define KILN_OPERANDS                                                                              \
    uint8_t const *cache, uint8_t const *update, KILN_START const *starts, uint8_t *to,            \
        KILN_IN_PLACE Arguments arguments
#define lengths static_cast<KILN_LENGTH const*>(nullptr)
#endif

/// Where a row of the update goes: a row of the cache, or -1.
struct Target {
    int64_t batch;
    int64_t row;
};

template <typename Length>
__device__ inline Target targetOf(Length const* ends, KILN_START const* starts,
                                  Arguments const& arguments, int64_t batch, int64_t place) {
    int64_t row = place;
#if KILN_PACKED
    // The sequence of a token, by its place among the first tokens of all sequences.
    int64_t low = 0;
    int64_t high = arguments.batch;
    while (high - low > 1) {
        int64_t const middle = (low + high) / 2;
        if (static_cast<int64_t>(ends[middle]) <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    batch = low;
    row = place - static_cast<int64_t>(ends[low]);
    if (row < 0 || place >= static_cast<int64_t>(ends[low + 1])) {
        return {0, -1};
    }
#elif KILN_HAS_LENGTHS
    if (row >= static_cast<int64_t>(ends[batch])) {
        return {0, -1};
    }
#endif
    int64_t const start = static_cast<int64_t>(starts[batch]);
    // No sum may overflow.
    int64_t const capacity = arguments.capacity.divisor;
    bool const inside = start < capacity && start > -arguments.length.divisor;
    int64_t const to = inside ? start + row : -1;
    return {batch, to < capacity ? to : -1};
}

template <typename Unit>
__device__ inline FastDivide const& unitsOfRow(Arguments const& arguments) {
    return sizeof(Unit) == 1 ? arguments.bytesOfRow : arguments.wordsOfRow;
}

__device__ inline int32_t divided(FastDivide const& by, int32_t number) {
    return by.quotient(number);
}
__device__ inline int64_t divided(FastDivide const& by, int64_t number) {
    return quotient(number, by.divisor);
}

/// Calls first(i, index) for each unit of a thread below `count`, then second(i, index): all loads
/// of `first` are under way before `second` uses them.
template <typename Index, typename First, typename Second>
__device__ inline void forUnits(int64_t count, First first, Second second) {
    int64_t const step = threadCount() * kHeld;
    for (int64_t begin = static_cast<int64_t>(blockIdx.x) * blockDim.x * kHeld + threadIdx.x;
         begin < count; begin += step) {
#pragma unroll
        for (int i = 0; i < kHeld; ++i) {
            if (int64_t const index = begin + i * static_cast<int64_t>(blockDim.x);
                index < count) {
                first(i, static_cast<Index>(index));
            }
        }
#pragma unroll
        for (int i = 0; i < kHeld; ++i) {
            if (int64_t const index = begin + i * static_cast<int64_t>(blockDim.x);
                index < count) {
                second(i, static_cast<Index>(index));
            }
        }
    }
}

/// Writes the rows of the update alone.
template <typename Unit, typename Index>
__device__ inline void updateRows(uint8_t const* update, KILN_START const* starts,
                                  KILN_LENGTH const* ends, uint8_t* to,
                                  Arguments const& arguments) {
    FastDivide const& units = unitsOfRow<Unit>(arguments);
    auto const* const source = reinterpret_cast<Unit const*>(update);
    Unit held[kHeld];
    forUnits<Index>(
        arguments.rows * units.divisor, [&](int i, Index index) { held[i] = source[index]; },
        [&](int i, Index index) {
            Index const row = divided(units, index);
            int64_t const column = index - row * units.divisor;
#if KILN_PACKED
            Index const place = divided(arguments.heads, row);
            int64_t const head = row - place * arguments.heads.divisor;
            Target const target = targetOf(ends, starts, arguments, 0, place);
#else
            Index const plane = divided(arguments.length, row);
            Index const batch = divided(arguments.heads, plane);
            int64_t const head = plane - batch * arguments.heads.divisor;
            Target const target = targetOf(ends, starts, arguments, batch,
                                           row - plane * arguments.length.divisor);
#endif
            if (target.row >= 0) {
                int64_t const at = (target.batch * arguments.heads.divisor + head) *
                                       arguments.capacity.divisor +
                                   target.row;
                reinterpret_cast<Unit*>(to)[at * units.divisor + column] = held[i];
            }
        });
}

/// The row of the update, counted over all heads, that a row of the cache becomes; -1 if it stays.
__device__ inline int64_t updateOf(KILN_START const* starts, KILN_LENGTH const* ends,
                                   Arguments const& arguments, int64_t batch, int64_t head,
                                   int64_t row) {
    int64_t const length = arguments.length.divisor;
    int64_t const start = static_cast<int64_t>(starts[batch]);
    if (start >= arguments.capacity.divisor || start <= -length || row < start ||
        row - start >= length) {
        return -1;
    }
#if KILN_PACKED
    int64_t const first = static_cast<int64_t>(ends[batch]);
    int64_t const token = first < length ? first + (row - start) : -1;
    bool const isOwn =
        token >= 0 && token < length && token < static_cast<int64_t>(ends[batch + 1]) &&
        targetOf(ends, starts, arguments, 0, token).batch == batch;
    return isOwn ? token * arguments.heads.divisor + head : -1;
#else
#if KILN_HAS_LENGTHS
    if (row - start >= static_cast<int64_t>(ends[batch])) {
        return -1;
    }
#endif
    return (batch * arguments.heads.divisor + head) * length + (row - start);
#endif
}

/// Writes all rows of a cache in other memory.
template <typename Unit, typename Index>
__device__ inline void writeRows(uint8_t const* cache, uint8_t const* update,
                                 KILN_START const* starts, KILN_LENGTH const* ends, uint8_t* to,
                                 Arguments const& arguments) {
    FastDivide const& units = unitsOfRow<Unit>(arguments);
    Unit held[kHeld];
    forUnits<Index>(
        arguments.bytes / static_cast<int64_t>(sizeof(Unit)),
        [&](int i, Index index) {
            Index const row = divided(units, index);
            Index const plane = divided(arguments.capacity, row);
            Index const batch = divided(arguments.heads, plane);
            int64_t const from = updateOf(starts, ends, arguments, batch,
                                          plane - batch * arguments.heads.divisor,
                                          row - plane * arguments.capacity.divisor);
            auto const* const source = reinterpret_cast<Unit const*>(from < 0 ? cache : update);
            held[i] = source[from < 0 ? static_cast<int64_t>(index)
                                      : from * units.divisor + (index - row * units.divisor)];
        },
        [&](int i, Index index) { reinterpret_cast<Unit*>(to)[index] = held[i]; });
}

template <typename Index>
__device__ inline void updateCache(uint8_t const* cache, uint8_t const* update,
                                   KILN_START const* starts, KILN_LENGTH const* ends, uint8_t* to,
                                   Arguments const& arguments) {
    bool const wide = arguments.bytesOfRow.divisor % 16 == 0 && isAligned16(to) &&
                      isAligned16(update) && isAligned16(cache);
    if (cache == to) {
        if (wide) {
            updateRows<Wide, Index>(update, starts, ends, to, arguments);
        } else {
            updateRows<uint8_t, int64_t>(update, starts, ends, to, arguments);
        }
    } else if (wide) {
        writeRows<Wide, Index>(cache, update, starts, ends, to, arguments);
    } else {
        writeRows<uint8_t, int64_t>(cache, update, starts, ends, to, arguments);
    }
}

KILN_KERNEL void update_cache(KILN_OPERANDS) {
    updateCache<int32_t>(cache, update, starts, lengths, to, arguments);
}
#if KILN_WIDE
KILN_KERNEL void update_cache_wide(KILN_OPERANDS) {
    updateCache<int64_t>(cache, update, starts, lengths, to, arguments);
}
#endif
