// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KVCacheUpdate: rows of the update go to the cache [batch, heads, capacity, size], from a position
// of each sequence on; what would lie outside is left out. The other rows are copied, unless the
// output is in the memory of the cache. A thread moves 16 bytes of a row, or one. KILN_HAS_LENGTHS,
// KILN_PACKED: see graph/ops/kv_cache_update.h. KILN_START, KILN_LENGTH: types of positions and
// lengths.
#include "threads.cuh"

struct Arguments {
    int64_t bytes; ///< of the cache
    int64_t heads;
    int64_t capacity;
    int64_t rowBytes;
    int64_t length; ///< rows of each head of the update; packed: tokens
    int64_t rows;   ///< of the update
    int64_t batch;
};

typedef Pack<uint32_t, 4> Wide;

#if KILN_HAS_LENGTHS
#define KILN_OPERANDS                                                                              \
    uint8_t const *cache, uint8_t const *update, KILN_START const *starts,                         \
        KILN_LENGTH const *lengths, uint8_t *to, Arguments arguments
#else
#define KILN_OPERANDS                                                                              \
    uint8_t const *cache, uint8_t const *update, KILN_START const *starts, uint8_t *to,            \
        Arguments arguments
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
    bool const inside = start < arguments.capacity && start > -arguments.length;
    int64_t const to = inside ? start + row : -1;
    return {batch, to < arguments.capacity ? to : -1};
}

template <typename Unit>
__device__ inline void updateRows(uint8_t const* update, KILN_START const* starts,
                                  KILN_LENGTH const* ends, uint8_t* to,
                                  Arguments const& arguments) {
    int64_t const units = arguments.rowBytes / static_cast<int64_t>(sizeof(Unit));
    for (int64_t index = threadIndex(); index < arguments.rows * units; index += threadCount()) {
        int64_t const row = quotient(index, units);
#if KILN_PACKED
        int64_t const place = quotient(row, arguments.heads);
        int64_t const head = row - place * arguments.heads;
        Target const target = targetOf(ends, starts, arguments, 0, place);
#else
        int64_t const plane = quotient(row, arguments.length);
        int64_t const batch = quotient(plane, arguments.heads);
        int64_t const head = plane - batch * arguments.heads;
        Target const target =
            targetOf(ends, starts, arguments, batch, row - plane * arguments.length);
#endif
        if (target.row >= 0) {
            int64_t const at =
                (target.batch * arguments.heads + head) * arguments.capacity + target.row;
            reinterpret_cast<Unit*>(to)[at * units + index - row * units] =
                reinterpret_cast<Unit const*>(update)[index];
        }
    }
}

/// Whether a row of the cache is written by updateRows().
__device__ inline bool isUpdated(KILN_START const* starts, KILN_LENGTH const* ends,
                                 Arguments const& arguments, int64_t batch, int64_t row) {
    int64_t const start = static_cast<int64_t>(starts[batch]);
    if (start >= arguments.capacity || start <= -arguments.length || row < start) {
        return false;
    }
#if KILN_PACKED
    int64_t const token = static_cast<int64_t>(ends[batch]) + (row - start);
    return token < arguments.length &&
           targetOf(ends, starts, arguments, 0, token < 0 ? 0 : token).batch == batch &&
           token >= 0 && token < static_cast<int64_t>(ends[batch + 1]);
#elif KILN_HAS_LENGTHS
    return row - start < arguments.length && row - start < static_cast<int64_t>(ends[batch]);
#else
    return row - start < arguments.length;
#endif
}

template <typename Unit>
__device__ inline void copyRows(uint8_t const* cache, KILN_START const* starts,
                                KILN_LENGTH const* ends, uint8_t* to,
                                Arguments const& arguments) {
    int64_t const units = arguments.rowBytes / static_cast<int64_t>(sizeof(Unit));
    int64_t const count = arguments.bytes / static_cast<int64_t>(sizeof(Unit));
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const row = quotient(index, units);
        int64_t const plane = quotient(row, arguments.capacity);
        int64_t const batch = quotient(plane, arguments.heads);
        if (!isUpdated(starts, ends, arguments, batch, row - plane * arguments.capacity)) {
            reinterpret_cast<Unit*>(to)[index] = reinterpret_cast<Unit const*>(cache)[index];
        }
    }
}

KILN_KERNEL void update_cache(KILN_OPERANDS) {
    bool const wide = arguments.rowBytes % 16 == 0 && isAligned16(to);
    if (wide && isAligned16(update)) {
        updateRows<Wide>(update, starts, lengths, to, arguments);
    } else {
        updateRows<uint8_t>(update, starts, lengths, to, arguments);
    }
    if (cache == to) {
        return;
    }
    if (wide && isAligned16(cache)) {
        copyRows<Wide>(cache, starts, lengths, to, arguments);
    } else {
        copyRows<uint8_t>(cache, starts, lengths, to, arguments);
    }
}
