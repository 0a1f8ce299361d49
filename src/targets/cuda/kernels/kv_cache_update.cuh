// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KVCacheUpdate: rows of the update go to the cache [batch, heads, capacity, size], from a position
// of each sequence on; what would lie outside is left out. copy_cache copies the cache, unless the
// output is in its memory. A thread moves 16 bytes of a row, or one. KILN_HAS_LENGTHS, KILN_PACKED:
// see graph/ops/kv_cache_update.h. KILN_START, KILN_LENGTH: types of positions and lengths.
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

KILN_KERNEL void copy_cache(KILN_OPERANDS) {
    if (cache == to) {
        return;
    }
    int64_t const step = threadCount();
    int64_t begin = 0;
    if (isAligned16(cache) && isAligned16(to)) {
        int64_t const words = arguments.bytes / 16;
        for (int64_t i = threadIndex(); i < words; i += step) {
            reinterpret_cast<Wide*>(to)[i] = reinterpret_cast<Wide const*>(cache)[i];
        }
        begin = words * 16;
    }
    for (int64_t i = begin + threadIndex(); i < arguments.bytes; i += step) {
        to[i] = cache[i];
    }
}

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

KILN_KERNEL void update_cache(KILN_OPERANDS) {
    if (arguments.rowBytes % 16 == 0 && isAligned16(update) && isAligned16(to)) {
        updateRows<Wide>(update, starts, lengths, to, arguments);
    } else {
        updateRows<uint8_t>(update, starts, lengths, to, arguments);
    }
}
