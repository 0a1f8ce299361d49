// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running sums of columns. Macros: cumulative.cuh.
#pragma once

#include "cumulative_parts.cuh"
#include "flat.cuh"
#include "wide_stores.cuh"

/// A column of a part, by one thread.
struct Column {
    Part part;
    int64_t base; ///< offset of its first element of all parts
    int64_t sum;  ///< place of its sum in the workspace
};

__device__ inline Column columnAt(int64_t i, Arguments const& arguments) {
    int64_t const rest = quotient(i, arguments.inner);
    int64_t const inner = i - rest * arguments.inner;
    int64_t const outer = quotient(rest, arguments.parts);
    return {partOf(rest - outer * arguments.parts, arguments),
            outer * arguments.extent * arguments.inner + inner, i};
}

template <bool kWrites>
__device__ inline Number scanColumn(Element const* from, Element* to, Column const& column,
                                    Number sum, Arguments const& arguments) {
    int64_t i = column.part.begin;
    int64_t const step = KILN_REVERSE != 0 ? -arguments.inner : arguments.inner;
    int64_t at = column.base + placeOf(i, arguments) * arguments.inner;
    while (i < column.part.end) {
        Number values[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            values[k] = i + k < column.part.end ? load(from[at + k * step]) : Number(0);
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            Number const next = sum + values[k];
            if (kWrites && i + k < column.part.end) {
                to[at + k * step] = stored(KILN_EXCLUSIVE != 0 ? sum : next);
            }
            sum = next;
        }
        i += kAhead;
        at += kAhead * step;
    }
    return sum;
}

KILN_KERNEL void __launch_bounds__(kThreads)
    columns(Element const* from, Element* to, void* work, Arguments arguments) {
    int64_t const count = arguments.outer * arguments.parts * arguments.inner;
    for (int64_t i = threadIndex(); i < count; i += threadCount()) {
        Column const column = columnAt(i, arguments);
        Number const before =
            arguments.parts > 1 ? static_cast<Number const*>(work)[column.sum] : Number(0);
        scanColumn<true>(from, to, column, before, arguments);
    }
}

KILN_KERNEL void __launch_bounds__(kThreads)
    sum_columns(Element const* from, Element*, void* work, Arguments arguments) {
    int64_t const count = arguments.outer * arguments.parts * arguments.inner;
    for (int64_t i = threadIndex(); i < count; i += threadCount()) {
        Column const column = columnAt(i, arguments);
        static_cast<Number*>(work)[column.sum] =
            scanColumn<false>(from, nullptr, column, Number(0), arguments);
    }
}

constexpr int kAcross = 8;                 ///< packs of columns of a block
constexpr int kLanes = kThreads / kAcross; ///< threads that share columns
constexpr int kHeldRows = 4;               ///< neighbours that a thread takes of a tile
constexpr int kColumnBlocks = 4;           ///< of a multiprocessor
constexpr int kWarps = kThreads / 32;

/// The sums of the lower lanes of the block, of a pack of columns each, and those of all.
__device__ inline void sumLanesBelow(Number (&sums)[kVector], Number (&totals)[kVector],
                                     Number (*shared)[kAcross][kVector]) {
    int const inWarp = static_cast<int>(threadIdx.x) % 32;
    int const warp = static_cast<int>(threadIdx.x) / 32;
    int const pack = static_cast<int>(threadIdx.x) % kAcross;
    __syncthreads(); // the words may still be read
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        Number upTo = sums[i];
#pragma unroll
        for (int step = kAcross; step < 32; step *= 2) {
            Number const lower = __shfl_up_sync(kAllLanes, upTo, step);
            upTo += inWarp >= step ? lower : Number(0);
        }
        if (inWarp >= 32 - kAcross) {
            shared[warp][pack][i] = upTo;
        }
        Number const lower = __shfl_up_sync(kAllLanes, upTo, kAcross);
        sums[i] = inWarp >= kAcross ? lower : Number(0);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        totals[i] = Number(0);
    }
    // Not unrolled: the words of all warps would take too many registers.
#pragma unroll 1
    for (int other = 0; other < kWarps; ++other) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            Number const own = shared[other][pack][i];
            sums[i] += other < warp ? own : Number(0);
            totals[i] += own;
        }
    }
}

/// Some neighbours of one pack of columns, in the order of the sums.
template <bool kAligned>
struct HeldRows {
    typedef Pack<Element, kVector> Word;
    typedef Pack<uint32_t, 4> Bits;
    Bits at[kHeldRows];

    __device__ Number number(int row, int i) const {
        return ::load(reinterpret_cast<Word const*>(&at[row])->at[i]);
    }
    __device__ void load(Element const* from, int64_t step, int many) {
#pragma unroll
        for (int row = 0; row < kHeldRows; ++row, from += step) {
            at[row] = Bits{};
            if (row < many) {
                Word const word = loadPack<kVector>(from, kAligned);
                at[row] = *reinterpret_cast<Bits const*>(&word);
            }
        }
    }
    /// Hides where the words come from: else the compiler would keep all numbers that it has made
    /// of them for the sums, in several times as many registers.
    __device__ void forget() {
#ifdef __CUDA_ARCH__
#pragma unroll
        for (int row = 0; row < kHeldRows; ++row) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                asm("" : "+r"(at[row].at[i]));
            }
        }
#endif
    }
    /// Adds all.
    __device__ void sum(Number (&sums)[kVector]) const {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            sums[i] = Number(0);
#pragma unroll
            for (int row = 0; row < kHeldRows; ++row) {
                sums[i] += number(row, i);
            }
        }
    }
    /// Writes running sums that begin with the given ones.
    __device__ void store(Element* to, int64_t step, int many, Number (&sums)[kVector]) const {
#pragma unroll
        for (int row = 0; row < kHeldRows; ++row, to += step) {
            Word results;
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                Number const next = sums[i] + number(row, i);
                results.at[i] = stored(KILN_EXCLUSIVE != 0 ? sums[i] : next);
                sums[i] = next;
            }
            if (row < many && kAligned) {
                storeAtOnce(to, results);
            } else if (row < many) {
                storePack(to, results, false);
            }
        }
    }
};

/// All rows of kAcross packs of columns, from `first` on. All threads take part in the sums of a
/// tile.
template <bool kAligned>
__device__ inline void scanHeldColumns(Element const* from, Element* to, int64_t first,
                                       int64_t packs, Number (*shared)[kAcross][kVector],
                                       Arguments const& arguments) {
    int const lane = static_cast<int>(threadIdx.x) / kAcross;
    int64_t const index = first + threadIdx.x % kAcross;
    int64_t const outer = quotient(index, packs);
    int64_t const base =
        outer * arguments.extent * arguments.inner + (index - outer * packs) * kVector;
    int64_t const extent = index < arguments.outer * packs ? arguments.extent : 0;
    int64_t const step = KILN_REVERSE != 0 ? -arguments.inner : arguments.inner;
    Number carried[kVector];
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        carried[i] = Number(0);
    }
    for (int64_t tile = 0; tile < arguments.extent; tile += kLanes * kHeldRows) {
        int64_t const begin = tile + lane * kHeldRows;
        int64_t const rest = extent - begin;
        int const many = rest < kHeldRows ? static_cast<int>(rest) : kHeldRows; // none: below 1
        int64_t const at = base + placeOf(begin, arguments) * arguments.inner;
        HeldRows<kAligned> held;
        held.load(from + at, step, many);
        Number sums[kVector];
        held.sum(sums);
        held.forget();
        Number totals[kVector];
        sumLanesBelow(sums, totals, shared);
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            sums[i] += carried[i];
            carried[i] += totals[i];
        }
        held.store(to + at, step, many, sums);
    }
}

/// The inner extent is a multiple of a pack, and operands begin at multiples of 16 bytes or are
/// loaded one by one.
KILN_KERNEL void __launch_bounds__(kThreads, kColumnBlocks)
    held_columns(Element const* from, Element* to, void*, Arguments arguments) {
    __shared__ Number shared[kWarps][kAcross][kVector];
    bool const aligned = isAligned16(from) && isAligned16(to);
    int64_t const packs = quotient(arguments.inner, kVector);
    int64_t const count = arguments.outer * packs;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * kAcross; first < count;
         first += static_cast<int64_t>(gridDim.x) * kAcross) {
        if (aligned) {
            scanHeldColumns<true>(from, to, first, packs, shared, arguments);
        } else {
            scanHeldColumns<false>(from, to, first, packs, shared, arguments);
        }
    }
}
