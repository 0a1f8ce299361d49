// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Normalization of rows that are too long for a block. Several blocks share a row, and each takes
// one part of it: first it sums the part to the workspace, later, as another block, it normalizes
// the part. Groups of rows alternate, so that a part is still in the cache when it is read again:
// sums of group 0, sums of group 1, results of group 0, sums of group 2, results of group 1, ...
// Blocks take tickets in this order and wait for lower tickets only, which others have taken
// already, so the waiting ends however blocks are scheduled.
#pragma once

#include "dependents.cuh"
#include "normalization_rows.cuh"

/// A part of a set: its number of elements, their mean, and the sum of squares around it.
struct Moments {
    float count;
    float mean;
    float squares;

    __device__ void add(Moments const& other) {
        float const both = count + other.count;
        float const share = both == 0.0F ? 0.0F : other.count / both;
        float const apart = KILN_CENTERS ? other.mean - mean : 0.0F;
        squares += other.squares + apart * apart * count * share;
        mean += apart * share;
        count = both;
    }
};

/// What blocks tell each other. Read and written past the caches of multiprocessors.
struct Progress {
    unsigned done; ///< parts; one more once the result is there
    float mean;
    float factor;
    unsigned unused;
};

/// The workspace.
struct PartsWork {
    unsigned volatile* ticket; ///< and the number of parts that are late
    Progress volatile* sets;
    Moments volatile* parts;

    __device__ PartsWork(void* work, int64_t count)
        : ticket(static_cast<unsigned*>(work)), sets(static_cast<Progress*>(work) + 1),
          parts(reinterpret_cast<Moments volatile*>(sets + count)) {}

    /// The tickets of late parts; see normalization_held.cuh.
    __device__ unsigned volatile* late(Arguments const& arguments) const {
        return reinterpret_cast<unsigned volatile*>(parts +
                                                    arguments.sets.count * arguments.parts);
    }
};

KILN_KERNEL void parts_clear(Element const*, Element const*, Element const*, Element*, void* work,
                             KILN_IN_PLACE Arguments arguments) {
    waitForInputs();
    PartsWork const all(work, arguments.sets.count);
    for (int64_t i = threadIndex(); i < arguments.sets.count; i += threadCount()) {
        all.sets[i].done = 0;
    }
    if (threadIndex() == 0) {
        all.ticket[0] = 0;
        all.ticket[1] = 0;
    }
}

/// The moments of a set from those of its parts, by all threads of a block.
__device__ inline Moments momentsOf(Moments volatile const* parts, int64_t count) {
    __shared__ Moments shared[256];
    Moments own{0.0F, 0.0F, 0.0F};
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        own.add({parts[i].count, parts[i].mean, parts[i].squares});
    }
    shared[threadIdx.x] = own;
    __syncthreads();
    for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
        if (static_cast<int>(threadIdx.x) < half) {
            shared[threadIdx.x].add(shared[threadIdx.x + half]);
        }
        __syncthreads();
    }
    return shared[0];
}

constexpr int kPartPacks = 16; ///< of each of 256 threads
constexpr int64_t kPart = 256 * kPartPacks * kVector;

template <bool kWide, int kPacks>
struct RowOf {
    typedef HeldRow<kPacks, true> Type;
};
template <int kPacks>
struct RowOf<false, kPacks> {
    typedef ReadRow Type;
};

/// One part of one set.
struct PartPlace {
    int64_t set;
    int64_t part;
    bool sums; ///< else it is normalized

    __device__ PartPlace() = default;
    __device__ PartPlace(unsigned ticket, Arguments const& arguments) {
        int64_t const items = arguments.group * arguments.parts;
        int64_t const turn = quotient(ticket, items);
        int64_t const item = ticket - turn * items;
        sums = turn == 0 || turn % 2 != 0;
        set = quotient(item, arguments.parts);
        part = item - set * arguments.parts;
        set += (sums ? (turn + 1) / 2 : turn / 2 - 1) * arguments.group;
    }
};

/// Tells the moments of a part. The last of a set tells those of the set.
template <bool kWide, typename Row>
__device__ inline void tellMoments(Row& row, Place<kWide, int> const& place, PartPlace const& at,
                                   PartsWork const& work, Arguments const& arguments,
                                   InBlock const& all) {
    __shared__ bool last;
    auto const own = static_cast<float>(place.extent);
    float const mean = KILN_CENTERS ? all.sum(row.sum(place)) / own : 0.0F;
    float const squares = all.sum(row.squares(place, mean));
    Progress volatile& progress = work.sets[at.set];
    Moments volatile* const parts = work.parts + at.set * arguments.parts;
    if (threadIdx.x == 0) {
        parts[at.part].count = own;
        parts[at.part].mean = mean;
        parts[at.part].squares = squares;
        __threadfence();
        last = atomicAdd(const_cast<unsigned*>(&progress.done), 1U) == arguments.parts - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        Moments const whole = momentsOf(parts, arguments.parts);
        if (threadIdx.x == 0) {
            progress.mean = whole.mean;
            progress.factor =
                inverseDeviation(whole.squares, arguments.members.count, arguments.epsilon);
            __threadfence();
            progress.done = static_cast<unsigned>(arguments.parts) + 1;
        }
    }
}

template <bool kWide>
__device__ inline void sumPart(Element const* from, Place<kWide, int> const& place,
                               PartPlace const& at, PartsWork const& work,
                               Arguments const& arguments) {
    __shared__ float shared[32];
    typename RowOf<kWide, kPartPacks>::Type row;
    row.load(from, place);
    tellMoments(row, place, at, work, arguments, InBlock{shared});
}

/// The scale and the bias of a part, if all of its elements have the same.
struct PartFactors {
    bool areOne;
    float scale;
    float bias;

    __device__ PartFactors(Factors const& factors, int extent)
        : areOne(factors.step == 0 ||
                 factors.placeOf<true>(0) == factors.placeOf<true>(extent - 1)) {
        int64_t const at = areOne && factors.step != 0 ? factors.placeOf<true>(0) : 0;
        scale = toFloat(factors.scale[at]);
        bias = toFloat(factors.bias[at]);
    }
    __device__ void apply(float* values) const {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = values[i] * scale + bias;
        }
    }
};

/// The mean and the factor of a set, once they are there.
__device__ inline void waitForSet(Progress volatile const& progress, int64_t parts, float& mean,
                                  float& factor) {
    if (threadIdx.x == 0) {
        while (progress.done <= static_cast<unsigned>(parts)) {
        }
        __threadfence();
    }
    __syncthreads();
    mean = progress.mean;
    factor = progress.factor;
}

template <bool kWide, int kPacks>
__device__ inline void applyToPart(Element const* from, Element* to,
                                   Place<kWide, int> const& place, Factors const& factors,
                                   Progress volatile const& progress, int64_t parts) {
    float mean = 0.0F;
    float factor = 0.0F;
    if constexpr (kWide) {
        PartFactors const one(factors, place.extent);
        if (one.areOne) {
            HeldRow<kPacks, true> row;
            row.load(from, place);
            waitForSet(progress, parts, mean, factor);
            row.store(to, place, mean, factor, [&](int, float* results) { one.apply(results); });
            return;
        }
        if (factors.arePacked()) {
            bool const areWide = factors.areWide();
            HeldRow<kPacks, true> row;
            row.load(from, place);
            waitForSet(progress, parts, mean, factor);
            row.store(to, place, mean, factor, [&](int pack, float* results) {
                applyPacked<true>(factors, areWide, place, pack, results);
            });
            return;
        }
    }
    waitForSet(progress, parts, mean, factor);
    Place<false, int> const single{place.extent, place.thread, place.threads};
    ReadRow const row{from};
    row.store(to, single, mean, factor, factors);
}

template <bool kWide>
__device__ inline void rowPart(Element const* x, Element const* scale, Element const* bias,
                               Element* to, void* work, Arguments const& arguments) {
    __shared__ unsigned ticket;
    PartsWork const all(work, arguments.sets.count);
    if (threadIdx.x == 0) {
        ticket = atomicAdd(const_cast<unsigned*>(all.ticket), 1U);
    }
    __syncthreads();
    PartPlace const at(ticket, arguments);
    if (at.set >= arguments.sets.count) {
        return;
    }
    int64_t const first = at.part * kPart;
    int64_t const rest = arguments.members.count - first;
    Place<kWide, int> const place{static_cast<int>(rest < kPart ? rest : kPart),
                                  static_cast<int>(threadIdx.x), 256};
    int64_t offsets[3];
    arguments.sets.offsets(at.set, offsets);
    Element const* const from = x + offsets[0] + first;
    if (at.sums) {
        sumPart(from, place, at, all, arguments);
    } else {
        applyToPart<kWide, kPartPacks>(from, to + offsets[0] + first, place,
                    {scale + offsets[1], bias + offsets[2], arguments.repeat, arguments.step,
                     first},
                    all.sets[at.set], arguments.parts);
    }
}

KILN_KERNEL void __launch_bounds__(256, 2)
    parts_in_turns(Element const* x, Element const* scale, Element const* bias, Element* to,
                   void* work, KILN_IN_PLACE Arguments arguments) {
    if (rowsAreWide(arguments.members.count, x, to)) {
        rowPart<true>(x, scale, bias, to, work, arguments);
    } else {
        rowPart<false>(x, scale, bias, to, work, arguments);
    }
}
