// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unique: the different slices of [outer, count, inner] along its middle axis. Launches: the
// numbers of the slices in order (begin); passes that merge sorted runs of numbers in pairs, each
// number finding its place in the other run by bisection, so that equal slices keep their order
// (merge, advance); whether a slice differs from the one in front (mark), and the running sum of
// that (number_runs); where the runs of equals begin (find_starts); their order by first occurrence
// (number_firsts); and the results (place, copy_slices). Macros: KILN_ELEMENT, KILN_SORTED (0/1).
#include "block_sums.cuh"
#include "numbers.cuh"

typedef KILN_ELEMENT Element;

constexpr int kThreads = 256;

struct Arguments {
    int64_t outer;
    int64_t count;
    int64_t inner;
};

/// The parts of the workspace, of `count` numbers each.
struct Work {
    int64_t* passes; ///< one number
    int64_t* orders[2];
    int64_t* runs;   ///< of positions in the order
    int64_t* starts; ///< of runs: positions in the order
    int64_t* firsts; ///< of slices: whether first of a run, then how many firsts are in front

    __device__ Work(void* work, int64_t count) {
        passes = static_cast<int64_t*>(work);
        orders[0] = passes + 1;
        orders[1] = orders[0] + count;
        runs = orders[1] + count;
        starts = runs + count;
        firsts = starts + count;
    }
    __device__ int64_t* order() const { return orders[*passes % 2]; }
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

#define KILN_OPERANDS                                                                              \
    Element const *from, Element *to, int64_t *first, int64_t *inverse, int64_t *counts,           \
        int64_t *size, void *memory, Arguments arguments

KILN_KERNEL void begin(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    if (threadIndex() == 0) {
        *work.passes = 0;
    }
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        work.orders[0][i] = i;
    }
}

KILN_KERNEL void merge(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const length = int64_t{1} << *work.passes;
    int64_t const* const order = work.order();
    int64_t* const next = work.orders[(*work.passes + 1) % 2];
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        int64_t const run = i / length;
        bool const isLater = run % 2 != 0;
        int64_t const other = isLater ? (run - 1) * length : (run + 1) * length;
        int64_t const start = other < arguments.count ? other : arguments.count;
        int64_t const end = start + length < arguments.count ? start + length : arguments.count;
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
    Work const work(memory, arguments.count);
    *work.passes += 1;
}

KILN_KERNEL void mark(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const* const order = work.order();
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        bool const differs =
            i == 0 || compareSlices(from, order[i - 1], order[i], arguments) != 0;
        work.runs[i] = differs ? 1 : 0;
    }
}

/// Replaces numbers by the sum of those in front, for one block. Returns the sum of all.
__device__ inline int64_t addInFront(int64_t* numbers, int64_t count, bool withOwn) {
    int64_t before = 0;
    for (int64_t start = 0; start < count; start += kThreads) {
        int64_t const i = start + threadIdx.x;
        int64_t const own = i < count ? numbers[i] : 0;
        int64_t total = 0;
        int64_t const below = before + sumBelow<kThreads>(own, total);
        if (i < count) {
            numbers[i] = below + (withOwn ? own : 0);
        }
        before += total;
    }
    return before;
}

KILN_KERNEL void number_runs(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const found = addInFront(work.runs, arguments.count, true);
    if (threadIdx.x == 0) {
        *size = found;
    }
}

KILN_KERNEL void find_starts(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const* const order = work.order();
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        bool const isFirst = i == 0 || work.runs[i] != work.runs[i - 1];
        work.firsts[order[i]] = isFirst ? 1 : 0;
        if (isFirst) {
            work.starts[work.runs[i] - 1] = i;
        }
    }
}

KILN_KERNEL void number_firsts(KILN_OPERANDS) {
    addInFront(Work(memory, arguments.count).firsts, arguments.count, false);
}

KILN_KERNEL void place(KILN_OPERANDS) {
    Work const work(memory, arguments.count);
    int64_t const* const order = work.order();
    int64_t const found = *size;
    for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
        int64_t const run = work.runs[i] - 1;
        int64_t const start = work.starts[run];
        int64_t const slot = KILN_SORTED ? run : work.firsts[order[start]];
        inverse[order[i]] = slot;
        if (i == start) {
            first[slot] = order[i];
            counts[slot] = (run + 1 < found ? work.starts[run + 1] : arguments.count) - start;
        }
    }
}

KILN_KERNEL void copy_slices(KILN_OPERANDS) {
    int64_t const found = *size;
    int64_t const elements = arguments.outer * found * arguments.inner;
    for (int64_t i = threadIndex(); i < elements; i += threadCount()) {
        int64_t const slice = i / arguments.inner;
        int64_t const outer = slice / found;
        int64_t const at = outer * arguments.count + first[slice - outer * found];
        to[i] = from[at * arguments.inner + i % arguments.inner];
    }
}
