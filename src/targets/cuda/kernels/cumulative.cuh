// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cumulative: running sums along the middle axis of [outer, extent, inner]. With inner = 1, the
// threads of a warp (short rows) or of a block take packs of neighbouring elements, tile by tile;
// otherwise neighbouring threads take neighbouring columns; in `held_columns`, packs of them, and
// the threads of a block share their rows. If there are few rows or columns, they are split into
// parts: the first launch writes the sum of each part to the workspace, [outer, parts, inner], the
// second one turns them into the sums of the parts before, the third one begins with these. Half
// and bfloat16 are summed in float, float in double; integers wrap around.
// Macros: KILN_ELEMENT, the type; KILN_NUMBER, the type of the sums; KILN_EXCLUSIVE, KILN_REVERSE
// (0 or 1).
#include "cumulative_columns.cuh"

/// The sum of the lower lanes' values and the own one.
__device__ inline Number sumUpTo(Number value) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        Number const lower = __shfl_up_sync(kAllLanes, value, step);
        value += static_cast<int>(threadIdx.x) % 32 >= step ? lower : Number(0);
    }
    return value;
}

/// Sums over the threads that share a row. Returns the sum of the values of all lower threads;
/// `total` is that of all.
struct InWarp {
    static constexpr int kShare = 32;
    __device__ int thread() const { return static_cast<int>(threadIdx.x) % 32; }
    __device__ Number sumBelow(Number value, Number& total) const {
        Number const upTo = sumUpTo(value);
        total = __shfl_sync(kAllLanes, upTo, 31);
        return upTo - value;
    }
};

struct InBlock {
    static constexpr int kShare = kThreads;
    Number* shared; ///< one for each warp
    __device__ int thread() const { return static_cast<int>(threadIdx.x); }
    __device__ Number sumBelow(Number value, Number& total) const {
        Number const upTo = sumUpTo(value);
        __syncthreads(); // the words may still be read
        if (threadIdx.x % 32 == 31) {
            shared[threadIdx.x / 32] = upTo;
        }
        __syncthreads();
        Number before = Number(0);
        total = Number(0);
#pragma unroll
        for (int warp = 0; warp < kThreads / 32; ++warp) {
            before += warp < static_cast<int>(threadIdx.x) / 32 ? shared[warp] : Number(0);
            total += shared[warp];
        }
        return before + (upTo - value);
    }
};

/// A pack of a tile: kVector neighbours in the order of the sums.
__device__ inline void loadPack(Element const* row, int64_t first, int64_t end, bool wide,
                                Arguments const& arguments, Number* values) {
    if (wide && first + kVector <= end) {
        int64_t const low = KILN_REVERSE != 0 ? arguments.extent - first - kVector : first;
        auto const pack = *reinterpret_cast<Pack<Element, kVector> const*>(row + low);
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = load(pack.at[KILN_REVERSE != 0 ? kVector - 1 - i : i]);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        values[i] = first + i < end ? load(row[placeOf(first + i, arguments)]) : Number(0);
    }
}

__device__ inline void storePack(Element* row, int64_t first, int64_t end, bool wide,
                                 Arguments const& arguments, Number const* sums) {
    if (wide && first + kVector <= end) {
        int64_t const low = KILN_REVERSE != 0 ? arguments.extent - first - kVector : first;
        Pack<Element, kVector> pack;
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            pack.at[KILN_REVERSE != 0 ? kVector - 1 - i : i] = stored(sums[i]);
        }
        storeAtOnce(row + low, pack);
        return;
    }
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        if (first + i < end) {
            row[placeOf(first + i, arguments)] = stored(sums[i]);
        }
    }
}

/// The sums of a part of a row, which begin with `before`. Without `to`, only the last sum is
/// returned.
template <typename Threads>
__device__ inline Number scanRow(Element const* from, Element* to, Part const& part, Number before,
                                 Threads const& all, Arguments const& arguments) {
    bool const wide = arguments.extent % kVector == 0 && isAligned16(from) && isAligned16(to);
    constexpr int kShare = kPacks * kVector;
    for (int64_t tile = part.begin; tile < part.end; tile += Threads::kShare * kShare) {
        int64_t const first = tile + all.thread() * kShare;
        Number values[kShare];
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            loadPack(from, first + pack * kVector, part.end, wide, arguments,
                     values + pack * kVector);
        }
        Number own = Number(0);
#pragma unroll
        for (int i = 0; i < kShare; ++i) {
            own += values[i];
        }
        Number total;
        Number sum = before + all.sumBelow(own, total);
        before += total;
        if (to == nullptr) {
            continue;
        }
#pragma unroll
        for (int i = 0; i < kShare; ++i) {
            Number const next = sum + values[i];
            values[i] = KILN_EXCLUSIVE != 0 ? sum : next;
            sum = next;
        }
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            storePack(to, first + pack * kVector, part.end, wide, arguments,
                      values + pack * kVector);
        }
    }
    return before;
}

KILN_KERNEL void __launch_bounds__(kThreads)
    warp_rows(Element const* from, Element* to, void*, Arguments arguments) {
    constexpr int kRows = kThreads / 32;
    for (int64_t row = static_cast<int64_t>(blockIdx.x) * kRows + threadIdx.x / 32;
         row < arguments.outer; row += static_cast<int64_t>(gridDim.x) * kRows) {
        int64_t const offset = row * arguments.extent;
        scanRow(from + offset, to + offset, {0, arguments.extent}, Number(0), InWarp{}, arguments);
    }
}

KILN_KERNEL void __launch_bounds__(kThreads)
    block_rows(Element const* from, Element* to, void* work, Arguments arguments) {
    __shared__ Number shared[kThreads / 32];
    int64_t const count = arguments.outer * arguments.parts;
    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        int64_t const row = quotient(i, arguments.parts);
        int64_t const offset = row * arguments.extent;
        Number const before =
            arguments.parts > 1 ? static_cast<Number const*>(work)[i] : Number(0);
        scanRow(from + offset, to + offset, partOf(i - row * arguments.parts, arguments), before,
                InBlock{shared}, arguments);
    }
}

KILN_KERNEL void __launch_bounds__(kThreads)
    sum_rows(Element const* from, Element*, void* work, Arguments arguments) {
    __shared__ Number shared[kThreads / 32];
    int64_t const row = quotient(blockIdx.x, arguments.parts);
    Number const sum =
        scanRow(from + row * arguments.extent, nullptr,
                partOf(blockIdx.x - row * arguments.parts, arguments), Number(0), InBlock{shared},
                arguments);
    if (threadIdx.x == 0) {
        static_cast<Number*>(work)[blockIdx.x] = sum;
    }
}

/// One block for each row or column.
KILN_KERNEL void __launch_bounds__(kThreads)
    place_parts(Element const*, Element*, void* work, Arguments arguments) {
    __shared__ Number shared[kThreads / 32];
    int64_t const outer = quotient(blockIdx.x, arguments.inner);
    Number* const sums = static_cast<Number*>(work) +
                         outer * arguments.parts * arguments.inner +
                         (blockIdx.x - outer * arguments.inner);
    Number before = Number(0);
    for (int64_t first = 0; first < arguments.parts; first += kThreads) {
        int64_t const part = first + threadIdx.x;
        bool const inside = part < arguments.parts;
        Number const own = inside ? sums[part * arguments.inner] : Number(0);
        Number total;
        Number const place = before + InBlock{shared}.sumBelow(own, total);
        if (inside) {
            sums[part * arguments.inner] = place;
        }
        before += total;
    }
}
