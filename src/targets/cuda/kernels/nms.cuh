// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NMS. collect_parts and rank_candidates (nms_candidates.cuh) find the best candidates of each
// batch item and sort them. compare_boxes writes, for each candidate of a band, a bit for each
// later one of its class that it would suppress; a block compares 64 with 64. select_boxes goes
// through the band in order, a word of 64 at a time. Where there are several bands,
// suppress_behind tells the ones behind, and the three repeat. After the last band, select_boxes
// drops what is too much for a class: those behind the first `most` of a class suppress nothing
// that would remain. write_boxes puts the rows of all items together. Overlaps are rounded as on
// the CPU.
// Macros: those of ranking.cuh; KILN_ELEMENT, the type of boxes and scores; INDEX, that of the
// rows; LIMIT, that of the maximum per class; INPUTS, the number of operands; KILN_OVERLAP and
// KILN_SCORE, 1 if these thresholds are operands; KILN_CENTERS, 1 for centres and extents.
#include "nms_candidates.cuh"

__device__ inline float areaOf(Corners const& box) {
    return __fmul_rn(__fadd_rn(box.right, -box.left), __fadd_rn(box.bottom, -box.top));
}

/// Intersection over union; NaN for two boxes without area.
__device__ inline float overlapOf(Corners const& a, Corners const& b) {
    float const left = a.left < b.left ? b.left : a.left;
    float const top = a.top < b.top ? b.top : a.top;
    float const right = b.right < a.right ? b.right : a.right;
    float const bottom = b.bottom < a.bottom ? b.bottom : a.bottom;
    float const width = __fadd_rn(right, -left);
    float const height = __fadd_rn(bottom, -top);
    float const both = __fmul_rn(width > 0.0F ? width : 0.0F, height > 0.0F ? height : 0.0F);
    return __fdiv_rn(both, __fadd_rn(__fadd_rn(areaOf(a), areaOf(b)), -both));
}

/// The number of the next band of an item.
__device__ inline int64_t bandOf(void* work, int64_t item, Arguments const& arguments) {
    return workAt<int64_t>(work, arguments.counts)[2 * arguments.batch + item];
}

/// The masks of the candidates of a band, a row of words each.
__device__ inline uint64_t* masksOf(void* work, int64_t item, Arguments const& arguments) {
    return workAt<uint64_t>(work, arguments.masks) +
           item * arguments.bandWords * kWord * arguments.words();
}

/// Grid: a band's words by all words, then items. Launch with kWord threads.
KILN_KERNEL void __launch_bounds__(kWord)
    compare_boxes(Inputs inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ Corners others[kWord];
    __shared__ int32_t classes[kWord];
    int64_t const words = arguments.words();
    int64_t const item = blockIdx.y;
    int64_t const count = workAt<int64_t>(work, arguments.counts)[item];
    int64_t const inBand = blockIdx.x / words;
    int64_t const row = bandOf(work, item, arguments) * arguments.bandWords + inBand;
    int64_t const column = blockIdx.x - inBand * words;
    if (column < row || column * kWord >= count) {
        return;
    }
    float limit = 0.0F;
#if KILN_OVERLAP
    limit = *static_cast<float const*>(inputs.at[3]);
#endif
    Entry const* const list = workAt<Entry>(work, arguments.list) + item * arguments.padded;
    Corners const* const corners =
        workAt<Corners>(work, arguments.corners) + item * arguments.candidates;
    int64_t const other = column * kWord + threadIdx.x;
    if (other < count) {
        others[threadIdx.x] = corners[other];
        classes[threadIdx.x] = static_cast<int32_t>(indexOf(list[other]) % arguments.classes);
    }
    __syncthreads();
    int64_t const own = row * kWord + threadIdx.x;
    if (own >= count) {
        return;
    }
    Corners const box = corners[own];
    auto const kind = static_cast<int32_t>(indexOf(list[own]) % arguments.classes);
    uint64_t mask = 0;
    for (int i = 0; i < kWord; ++i) {
        int64_t const number = column * kWord + i;
        if (number > own && number < count && classes[i] == kind &&
            overlapOf(others[i], box) > limit) {
            mask |= static_cast<uint64_t>(1) << i;
        }
    }
    masksOf(work, item, arguments)[(inBand * kWord + threadIdx.x) * words + column] = mask;
}

constexpr int kMostWords = 4096;   ///< of an item
constexpr int kMostOfBand = 256;
constexpr int kSelectThreads = 256;

struct Selection {
    uint64_t removed[kMostOfBand];
    uint64_t own[kWord];
    int32_t starts[kMostWords + 1];
    int64_t kinds[kSelectThreads];
};

/// Writes the numbers of the set bits in order; returns how many there are. The bits are volatile,
/// since atomics change them behind the back of the first cache.
__device__ inline int64_t listBits(uint64_t const volatile* bits, int64_t words, int32_t* to,
                                   int32_t* starts) {
    __syncthreads();
    for (int64_t i = threadIdx.x; i < words; i += blockDim.x) {
        starts[i] = __popcll(bits[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int32_t sum = 0;
        for (int64_t i = 0; i < words; ++i) {
            int32_t const own = starts[i];
            starts[i] = sum;
            sum += own;
        }
        starts[words] = sum;
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < words; i += blockDim.x) {
        int32_t at = starts[i];
        for (uint64_t rest = bits[i]; rest != 0; rest &= rest - 1) {
            to[at++] = static_cast<int32_t>(i * kWord + __ffsll(static_cast<int64_t>(rest)) - 1);
        }
    }
    int64_t const total = starts[words];
    __syncthreads(); // the next call writes to the starts
    return total;
}

/// Sets the bits of the candidates of a band that no better one suppresses. `count` are behind its
/// first word, with those of later bands; shared.removed is set.
__device__ inline void keepBoxes(uint64_t const* masks, int64_t band, int64_t count,
                                 uint64_t* kept, Selection& shared, Arguments const& arguments) {
    int64_t const words = arguments.words();
    int64_t const first = band * arguments.bandWords;
    for (int64_t word = 0; word < arguments.bandWords && word * kWord < count; ++word) {
        int64_t const left = count - word * kWord;
        int const many = left < kWord ? static_cast<int>(left) : kWord;
        for (int i = static_cast<int>(threadIdx.x); i < many; i += static_cast<int>(blockDim.x)) {
            shared.own[i] = masks[(word * kWord + i) * words + first + word];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            uint64_t removed = shared.removed[word];
            uint64_t keeps = 0;
            for (int i = 0; i < many; ++i) {
                uint64_t const bit = static_cast<uint64_t>(1) << i;
                keeps |= (removed & bit) == 0 ? bit : 0;
                removed |= (removed & bit) == 0 ? shared.own[i] : 0;
            }
            kept[first + word] = keeps;
            shared.own[0] = keeps;
        }
        __syncthreads();
        uint64_t const keeps = shared.own[0];
        for (int64_t i = word + 1 + threadIdx.x; i < arguments.bandWords && i * kWord < count;
             i += blockDim.x) {
            uint64_t removed = shared.removed[i];
            for (uint64_t rest = keeps; rest != 0; rest &= rest - 1) {
                int const one = __ffsll(static_cast<int64_t>(rest)) - 1;
                removed |= masks[(word * kWord + one) * words + first + i];
            }
            shared.removed[i] = removed;
        }
        __syncthreads();
    }
}

/// Clears the bits of selected candidates that have `most` better ones of their class in front.
/// `tally` has a number for each class.
__device__ inline void dropTooMany(Entry const* list, int32_t const* selected, int64_t total,
                                   int64_t most, int32_t* tally, uint64_t* kept,
                                   Selection& shared, Arguments const& arguments) {
    for (int64_t i = threadIdx.x; i < arguments.classes; i += kSelectThreads) {
        tally[i] = 0;
    }
    for (int64_t first = 0; first < total; first += kSelectThreads) {
        int64_t const i = first + threadIdx.x;
        int64_t const kind = i < total ? indexOf(list[selected[i]]) % arguments.classes : -1;
        shared.kinds[threadIdx.x] = kind;
        __syncthreads();
        int64_t better = 0;
        if (i < total) {
            better = static_cast<int32_t volatile*>(tally)[kind];
            for (int k = 0; k < static_cast<int>(threadIdx.x); ++k) {
                better += shared.kinds[k] == kind ? 1 : 0;
            }
        }
        __syncthreads();
        if (i < total) {
            atomicAdd(tally + kind, 1);
            if (better >= most) {
                atomicAnd(reinterpret_cast<unsigned*>(kept) + selected[i] / 32,
                          ~(1U << (selected[i] % 32)));
            }
        }
        __syncthreads();
    }
}

/// Lists the candidates that remain of an item, when all bands are done.
__device__ inline void listBoxes(Inputs const& inputs, int64_t item, void* work, uint64_t* kept,
                                 Selection& shared, Arguments const& arguments) {
    int64_t* const counts = workAt<int64_t>(work, arguments.counts);
    int64_t const words = (counts[item] + kWord - 1) / kWord;
    int32_t* const selected =
        workAt<int32_t>(work, arguments.selected) + item * arguments.candidates;
    int64_t total = listBits(kept, words, selected, shared.starts);
    int64_t const most = static_cast<LIMIT const*>(inputs.at[2])[0];
    if (most < total) {
        dropTooMany(workAt<Entry>(work, arguments.list) + item * arguments.padded, selected, total,
                    most, workAt<int32_t>(work, arguments.tally) + item * arguments.classes, kept,
                    shared, arguments);
        total = listBits(kept, words, selected, shared.starts);
    }
    if (threadIdx.x == 0) {
        counts[arguments.batch + item] = total;
    }
}

KILN_KERNEL void __launch_bounds__(kSelectThreads)
    select_boxes(Inputs inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ Selection shared;
    int64_t const item = blockIdx.x;
    int64_t const words = arguments.words();
    int64_t const band = bandOf(work, item, arguments);
    int64_t const first = band * arguments.bandWords;
    uint64_t const* const removed = workAt<uint64_t>(work, arguments.removed) + item * words;
    for (int64_t i = threadIdx.x; i < arguments.bandWords; i += kSelectThreads) {
        shared.removed[i] = band > 0 && first + i < words ? removed[first + i] : 0;
    }
    int64_t const count = workAt<int64_t>(work, arguments.counts)[item] - first * kWord;
    uint64_t* const kept = workAt<uint64_t>(work, arguments.kept) + item * words;
    keepBoxes(masksOf(work, item, arguments), band, count, kept, shared, arguments);
    if (first + arguments.bandWords >= words) {
        listBoxes(inputs, item, work, kept, shared, arguments);
    }
    __syncthreads(); // all threads know the band
    if (threadIdx.x == 0) {
        workAt<int64_t>(work, arguments.counts)[2 * arguments.batch + item] = band + 1;
    }
}

/// Removes what those suppress that were kept of the last band, in the words behind it. A block has
/// 32 words, a warp every 8th candidate.
KILN_KERNEL void __launch_bounds__(256)
    suppress_behind(Inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ uint64_t found[8][32];
    int64_t const item = blockIdx.y;
    int64_t const words = arguments.words();
    int64_t const band = bandOf(work, item, arguments) - 1;
    int64_t const first = band * arguments.bandWords;
    int64_t const count = workAt<int64_t>(work, arguments.counts)[item];
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const warp = static_cast<int>(threadIdx.x) / 32;
    int64_t const word = static_cast<int64_t>(blockIdx.x) * 32 + lane;
    bool const exists =
        word >= first + arguments.bandWords && word * kWord < count && word < words;
    uint64_t const* const masks = masksOf(work, item, arguments);
    uint64_t const* const kept = workAt<uint64_t>(work, arguments.kept) + item * words + first;
    uint64_t bits = 0;
    for (int64_t i = 0; exists && i < arguments.bandWords; ++i) {
        for (uint64_t rest = kept[i] & (0x0101010101010101ULL << warp); rest != 0;
             rest &= rest - 1) {
            int const one = __ffsll(static_cast<int64_t>(rest)) - 1;
            bits |= masks[(i * kWord + one) * words + word];
        }
    }
    found[warp][lane] = bits;
    __syncthreads();
    if (warp == 0 && exists) {
        uint64_t* const removed = workAt<uint64_t>(work, arguments.removed) + item * words + word;
        bits = band > 0 ? *removed : 0;
        for (int i = 0; i < 8; ++i) {
            bits |= found[i][lane];
        }
        *removed = bits;
    }
}

/// One block for each item, or one alone if there is none.
KILN_KERNEL void __launch_bounds__(256)
    write_boxes(Inputs, INDEX* rows, int32_t* number, int64_t* size, void* work,
                Arguments arguments) {
    int64_t const item = blockIdx.x;
    int64_t const* const counts = workAt<int64_t>(work, arguments.counts) + arguments.batch;
    int64_t before = 0;
    int64_t total = 0;
    for (int64_t i = 0; i < arguments.batch; ++i) {
        before += i < item ? counts[i] : 0;
        total += counts[i];
    }
    if (item == 0 && threadIdx.x == 0) {
        *size = total < arguments.room ? total : arguments.room;
        *number = static_cast<int32_t>(*size);
    }
    if (item >= arguments.batch) {
        return;
    }
    Entry const* const list = workAt<Entry>(work, arguments.list) + item * arguments.padded;
    int32_t const* const selected =
        workAt<int32_t>(work, arguments.selected) + item * arguments.candidates;
    for (int64_t i = threadIdx.x; i < counts[item] && before + i < arguments.room;
         i += blockDim.x) {
        int64_t const index = indexOf(list[selected[i]]);
        INDEX* const row = rows + 3 * (before + i);
        row[0] = static_cast<INDEX>(item);
        row[1] = static_cast<INDEX>(index % arguments.classes);
        row[2] = static_cast<INDEX>(index / arguments.classes);
    }
}
