// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NMS, in up to five launches. collect_parts and rank_candidates (nms_candidates.cuh) find the best
// candidates of each batch item and sort them. compare_boxes writes, for each candidate, a bit for
// each later one of its class that it would suppress; a block compares 64 with 64. select_boxes
// goes through the candidates in order, a word of 64 at a time, and then drops what is too much for
// a class: those behind the first `most` of a class suppress nothing that would remain.
// write_boxes puts the rows of all items together. Overlaps are rounded as on the CPU.
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

/// Grid: pairs of words, then items. Launch with kWord threads.
KILN_KERNEL void __launch_bounds__(kWord)
    compare_boxes(Inputs inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ Corners others[kWord];
    __shared__ int32_t classes[kWord];
    int64_t const words = arguments.words();
    int64_t const item = blockIdx.y;
    int64_t const row = blockIdx.x / words;
    int64_t const column = blockIdx.x - row * words;
    int64_t const count = workAt<int64_t>(work, arguments.counts)[item];
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
    workAt<uint64_t>(work, arguments.masks)[(item * arguments.candidates + own) * words + column] =
        mask;
}

/// Writes the numbers of the set bits in order; returns how many there are. Words are those of
/// candidates [0, count).
__device__ inline int64_t listBits(uint64_t const* bits, int64_t words, int32_t* to,
                                   int32_t* starts) {
    __syncthreads();
    if (threadIdx.x == 0) {
        int32_t sum = 0;
        for (int64_t i = 0; i < words; ++i) {
            starts[i] = sum;
            sum += __popcll(bits[i]);
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

struct Selection {
    uint64_t removed[kMostWords];
    uint64_t kept[kMostWords];
    uint64_t own[kWord];
    int32_t starts[kMostWords + 1];
};

/// Sets the bits of the candidates that no better one suppresses.
__device__ inline void keepBoxes(uint64_t const* masks, int64_t count, int64_t words,
                                 Selection& shared) {
    for (int64_t i = threadIdx.x; i < words; i += blockDim.x) {
        shared.removed[i] = 0;
        shared.kept[i] = 0;
    }
    for (int64_t word = 0; word * kWord < count; ++word) {
        int64_t const left = count - word * kWord;
        int const many = left < kWord ? static_cast<int>(left) : kWord;
        for (int i = static_cast<int>(threadIdx.x); i < many; i += static_cast<int>(blockDim.x)) {
            shared.own[i] = masks[(word * kWord + i) * words + word];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            uint64_t removed = shared.removed[word];
            uint64_t kept = 0;
            for (int i = 0; i < many; ++i) {
                uint64_t const bit = static_cast<uint64_t>(1) << i;
                kept |= (removed & bit) == 0 ? bit : 0;
                removed |= (removed & bit) == 0 ? shared.own[i] : 0;
            }
            shared.kept[word] = kept;
        }
        __syncthreads();
        for (int64_t i = word + 1 + threadIdx.x; i * kWord < count; i += blockDim.x) {
            uint64_t removed = shared.removed[i];
            for (uint64_t rest = shared.kept[word]; rest != 0; rest &= rest - 1) {
                int const one = __ffsll(static_cast<int64_t>(rest)) - 1;
                removed |= masks[(word * kWord + one) * words + i];
            }
            shared.removed[i] = removed;
        }
        __syncthreads();
    }
}

KILN_KERNEL void __launch_bounds__(256)
    select_boxes(Inputs inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ Selection shared;
    int64_t const item = blockIdx.x;
    int64_t const words = arguments.words();
    int64_t const count = workAt<int64_t>(work, arguments.counts)[item];
    int64_t const first = item * arguments.candidates;
    keepBoxes(workAt<uint64_t>(work, arguments.masks) + first * words, count, words, shared);
    int32_t* const selected = workAt<int32_t>(work, arguments.selected) + first;
    int64_t total = listBits(shared.kept, words, selected, shared.starts);
    int64_t const most = static_cast<LIMIT const*>(inputs.at[2])[0];
    if (most < total) {
        // Drops those with `most` better ones of their class in front.
        Entry const* const list = workAt<Entry>(work, arguments.list) + item * arguments.padded;
        for (int64_t i = threadIdx.x; i < total; i += blockDim.x) {
            int64_t const kind = indexOf(list[selected[i]]) % arguments.classes;
            int64_t better = 0;
            for (int64_t k = 0; k < i && better < most; ++k) {
                better += indexOf(list[selected[k]]) % arguments.classes == kind ? 1 : 0;
            }
            if (better >= most) {
                atomicAnd(reinterpret_cast<unsigned*>(shared.kept) + selected[i] / 32,
                          ~(1U << (selected[i] % 32)));
            }
        }
        total = listBits(shared.kept, words, selected, shared.starts);
    }
    if (threadIdx.x == 0) {
        workAt<int64_t>(work, arguments.counts)[arguments.batch + item] = total;
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
