// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unique: the different slices of [outer, count, inner] along its middle axis. Slices of one
// element are numbers, which are sorted with their places (sort_numbers, merge_numbers). The places
// of others are sorted: passes merge sorted runs of them in pairs, each place finding its own in
// the other run by bisection, so that equal slices keep their order (begin, merge, advance). Then
// follow: how many slices of each tile differ from the one in front (count_runs), the running sums
// of that (number_tiles), the number of each run of equals and where it begins (number_runs); the
// same for the order of their first occurrences (count_firsts, number_firsts); and the results
// (place, copy_slices). Macros: KILN_ELEMENT, KILN_SORTED (0/1), KILN_LONG (64-bit elements).
#include "block_sums.cuh"
#include "sorted_numbers.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t outer;
    int64_t count;
    int64_t inner;
    int64_t numbers; ///< 1: slices are numbers
};

struct Passes {
    int32_t pass;
    uint32_t done; ///< blocks of this pass that have ended
};

__device__ inline int64_t tilesOf(int64_t count) {
    return (count + kTile - 1) / kTile;
}

/// The parts of the workspace. Passes alternate between two lists of entries, or of places.
struct Work {
    void* lists;
    int64_t count;
    int64_t* runs;   ///< of positions in the order
    int64_t* starts; ///< of runs: positions in the order
    int64_t* firsts; ///< of places: whether first of a run, then how many firsts are in front
    int64_t* tiles;  ///< sums in front of tiles
    Passes* passes;

    __device__ Work(void* work, int64_t count) : lists(work), count(count) {
        runs = reinterpret_cast<int64_t*>(static_cast<Entry*>(work) + 2 * count);
        starts = runs + count;
        firsts = starts + count;
        tiles = firsts + count;
        passes = reinterpret_cast<Passes*>(tiles + tilesOf(count));
    }
    /// Of numbers: what a pass reads.
    __device__ Entry* entries(int32_t pass) const {
        return static_cast<Entry*>(lists) + (pass % 2) * count;
    }
    /// The same for other slices: places.
    __device__ int64_t* order(int32_t pass) const {
        return static_cast<int64_t*>(lists) + (pass % 2) * count;
    }
};

/// The slices in order.
struct Sorted {
    Element const* from;
    Arguments const& arguments;
    Entry const* entries;
    int64_t const* order;

    __device__ Sorted(Element const* from, Work const& work, Arguments const& arguments)
        : from(from), arguments(arguments), entries(work.entries(work.passes->pass)),
          order(work.order(work.passes->pass)) {}

    __device__ int64_t placeAt(int64_t i) const {
        return arguments.numbers != 0 ? placeOf(entries[i]) : order[i];
    }
    /// Whether a slice differs from the one in front.
    __device__ bool begins(int64_t i) const;
};

/// -1, 0 or 1. NaN is above all numbers.
__device__ inline int compareSlices(Element const* from, int64_t a, int64_t b,
                                    Arguments const& arguments) {
    for (int64_t i = 0; i < arguments.outer; ++i) {
        Element const* const x = from + (i * arguments.count + a) * arguments.inner;
        Element const* const y = from + (i * arguments.count + b) * arguments.inner;
        for (int64_t k = 0; k < arguments.inner; ++k) {
            auto const p = numberOf(x[k]);
            auto const q = numberOf(y[k]);
            if (p < q || (q != q && p == p)) {
                return -1;
            }
            if (p > q || (p != p && q == q)) {
                return 1;
            }
        }
    }
    return 0;
}

__device__ inline bool Sorted::begins(int64_t i) const {
    if (i == 0) {
        return true;
    }
    return arguments.numbers != 0 ? !sameNumbers(entries[i - 1], entries[i])
                                  : compareSlices(from, order[i - 1], order[i], arguments) != 0;
}

#define KILN_OPERANDS                                                                              \
    Element const *from, Element *to, int64_t *first, int64_t *inverse, int64_t *counts,           \
        int64_t *size, void *memory, Arguments arguments

KILN_KERNEL void __launch_bounds__(kSortThreads) sort_numbers(KILN_OPERANDS) {
    __shared__ Entry tile[kTile];
    Work const work(memory, arguments.count);
    int64_t const start = static_cast<int64_t>(blockIdx.x) * kTile;
    if (start == 0 && threadIdx.x == 0) {
        *work.passes = {};
    }
    int const held = static_cast<int>(lesser(kTile, arguments.count - start));
    for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kSortThreads) {
        tile[i] = i < held ? entryOf(from[start + i], start + i) : lastEntry();
    }
    sortTile(tile);
    for (int i = static_cast<int>(threadIdx.x); i < held; i += kSortThreads) {
        work.entries(0)[start + i] = tile[i];
    }
}

KILN_KERNEL void __launch_bounds__(kSortThreads) merge_numbers(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int32_t const pass = work.passes->pass;
    int64_t const length = static_cast<int64_t>(kTile) << pass;
    int64_t const at = static_cast<int64_t>(blockIdx.x) * kTile;
    int64_t const start = at & ~(2 * length - 1);
    int64_t const left = arguments.count - start;
    Entry const* const one = work.entries(pass) + start;
    Runs const runs{one, one + length, lesser(length, left),
                    left > length ? lesser(length, left - length) : 0};
    mergeTile(runs, at - start, lesser(at - start + kTile, left),
              work.entries(pass + 1) + start);
    __syncthreads(); // all threads know the pass
    if (threadIdx.x == 0 && atomicAdd(&work.passes->done, 1U) == gridDim.x - 1) {
        *work.passes = {pass + 1, 0};
    }
}

KILN_KERNEL void begin(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    if (threadIndex() == 0) {
        *work.passes = {};
    }
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        work.order(0)[i] = i;
    }
}

KILN_KERNEL void merge(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const length = int64_t{1} << work.passes->pass;
    int64_t const* const order = work.order(work.passes->pass);
    int64_t* const next = work.order(work.passes->pass + 1);
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        int64_t const run = i / length;
        bool const isLater = run % 2 != 0;
        int64_t const other = isLater ? (run - 1) * length : (run + 1) * length;
        int64_t const start = lesser(other, arguments.count);
        int64_t const end = lesser(start + length, arguments.count);
        int64_t low = start;
        for (int64_t high = end; low < high;) {
            int64_t const middle = low + (high - low) / 2;
            int const which = compareSlices(from, order[middle], order[i], arguments);
            if (which < 0 || (which == 0 && isLater)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int64_t const pair = isLater ? other : run * length;
        next[pair + i % length + low - start] = order[i];
    }
}

KILN_KERNEL void advance(KILN_OPERANDS) {
    Work(memory, arguments.count).passes->pass += 1;
}

/// Of the flags of a tile: each thread has those of kOwn positions that follow one another.
template <typename Flag>
__device__ inline int64_t countOwn(int64_t start, int64_t count, Flag&& flag) {
    int64_t own = 0;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
        own += start + i < count && flag(start + i) ? 1 : 0;
    }
    return own;
}

__device__ inline int64_t ownStart() {
    return static_cast<int64_t>(blockIdx.x) * kTile + static_cast<int64_t>(threadIdx.x) * kOwn;
}

KILN_KERNEL void __launch_bounds__(kSortThreads) count_runs(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    Sorted const sorted(from, work, arguments);
    int64_t total = 0;
    sumBelow<kSortThreads>(countOwn(ownStart(), arguments.count,
                                    [&](int64_t i) { return sorted.begins(i); }),
                           total);
    if (threadIdx.x == 0) {
        work.tiles[blockIdx.x] = total;
    }
}

/// Replaces the sums of tiles by those of the tiles in front, for one block.
KILN_KERNEL void __launch_bounds__(kSortThreads) number_tiles(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const count = tilesOf(arguments.count);
    int64_t before = 0;
    for (int64_t start = 0; start < count; start += kSortThreads) {
        int64_t const i = start + threadIdx.x;
        int64_t total = 0;
        int64_t const below =
            before + sumBelow<kSortThreads>(i < count ? work.tiles[i] : 0, total);
        if (i < count) {
            work.tiles[i] = below;
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        *size = before;
    }
}

KILN_KERNEL void __launch_bounds__(kSortThreads) number_runs(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    Sorted const sorted(from, work, arguments);
    int64_t const start = ownStart();
    auto const begins = [&](int64_t i) { return sorted.begins(i); };
    int64_t total = 0;
    int64_t run = work.tiles[blockIdx.x] +
                  sumBelow<kSortThreads>(countOwn(start, arguments.count, begins), total) - 1;
    for (int64_t i = start; i < start + kOwn && i < arguments.count; ++i) {
        bool const isFirst = begins(i);
        run += isFirst ? 1 : 0;
        work.runs[i] = run;
        if (isFirst) {
            work.starts[run] = i;
        }
        if (KILN_SORTED == 0) {
            work.firsts[sorted.placeAt(i)] = isFirst ? 1 : 0;
        }
    }
}

KILN_KERNEL void __launch_bounds__(kSortThreads) count_firsts(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t total = 0;
    sumBelow<kSortThreads>(countOwn(ownStart(), arguments.count,
                                    [&](int64_t i) { return work.firsts[i] != 0; }),
                           total);
    if (threadIdx.x == 0) {
        work.tiles[blockIdx.x] = total;
    }
}

KILN_KERNEL void __launch_bounds__(kSortThreads) number_firsts(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const start = ownStart();
    int64_t total = 0;
    int64_t const own = countOwn(start, arguments.count,
                                 [&](int64_t i) { return work.firsts[i] != 0; });
    int64_t below = work.tiles[blockIdx.x] + sumBelow<kSortThreads>(own, total);
    for (int64_t i = start; i < start + kOwn && i < arguments.count; ++i) {
        int64_t const isFirst = work.firsts[i];
        work.firsts[i] = below;
        below += isFirst;
    }
}

KILN_KERNEL void place(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    Sorted const sorted(from, work, arguments);
    int64_t const found = *size;
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        int64_t const run = work.runs[i];
        int64_t const start = work.starts[run];
        int64_t const at = sorted.placeAt(i);
        int64_t const slot = KILN_SORTED ? run : work.firsts[sorted.placeAt(start)];
        inverse[at] = slot;
        if (i == start) {
            first[slot] = at;
            counts[slot] = (run + 1 < found ? work.starts[run + 1] : arguments.count) - start;
        }
    }
}

KILN_KERNEL void copy_slices(KILN_OPERANDS) {
    int64_t const found = *size;
    if (arguments.numbers != 0) {
        for (int64_t i = threadIndex(); i < found; i += threadCount()) {
            to[i] = from[first[i]];
        }
        return;
    }
    int64_t const elements = arguments.outer * found * arguments.inner;
    for (int64_t i = threadIndex(); i < elements; i += threadCount()) {
        int64_t const slice = i / arguments.inner;
        int64_t const outer = slice / found;
        int64_t const at = outer * arguments.count + first[slice - outer * found];
        to[i] = from[at * arguments.inner + i % arguments.inner];
    }
}
