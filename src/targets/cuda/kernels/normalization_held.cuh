// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Normalization of rows that several blocks share, read once. A block holds one part of a row in
// registers: it tells the others the moments of the part, waits for those of the row, and writes
// the part. Blocks take tickets in the order of the parts, and the GPU holds more parts than a row
// has, so the others are usually under way. What else runs on the GPU may keep them out: after
// kPatience polls, a block leaves its part to `parts_late`, which reads it again.
#pragma once

#include "normalization_parts.cuh"

constexpr int kPatience = 4096; ///< about 3 ms

/// Whether the mean and the factor of a set come in time; then all threads get them.
__device__ inline bool awaitSet(Progress volatile const& progress, int64_t parts, float& mean,
                                float& factor) {
    __shared__ float told[2];
    __shared__ bool inTime;
    if (threadIdx.x == 0) {
        int polls = 0;
        while (progress.done <= static_cast<unsigned>(parts) && polls < kPatience) {
            ++polls;
        }
        inTime = polls < kPatience;
        __threadfence();
        told[0] = progress.mean;
        told[1] = progress.factor;
    }
    __syncthreads();
    mean = told[0];
    factor = told[1];
    return inTime;
}

/// The part of a ticket: its elements, and where they begin.
template <bool kWide>
struct HeldPart {
    PartPlace at;
    int64_t first;
    Place<kWide, int> place;
    int64_t offsets[3];

    __device__ HeldPart(unsigned ticket, Arguments const& arguments) {
        at.set = quotient(ticket, arguments.parts);
        at.part = ticket - at.set * arguments.parts;
        at.sums = true;
        first = at.part * kPart;
        int64_t const rest = arguments.members.count - first;
        place = {static_cast<int>(rest < kPart ? rest : kPart),
                 static_cast<int>(threadIdx.x), 256};
        arguments.sets.offsets(at.set, offsets);
    }
    __device__ Factors factors(Element const* scale, Element const* bias,
                               Arguments const& arguments) const {
        return {scale + offsets[1], bias + offsets[2], arguments.repeat, arguments.step, first};
    }
};

/// Writes a part that is held; false if its factors take a division for each element.
__device__ inline bool storeHeld(HeldRow<kPartPacks, true>& row, Element* to,
                                 Place<true, int> const& place, Factors const& factors, float mean,
                                 float factor) {
    PartFactors const one(factors, place.extent);
    if (one.areOne) {
        row.store(to, place, mean, factor, [&](int, float* results) { one.apply(results); });
        return true;
    }
    if (factors.arePacked()) {
        bool const areWide = factors.areWide();
        row.store(to, place, mean, factor, [&](int pack, float* results) {
            applyPacked<true>(factors, areWide, place, pack, results);
        });
        return true;
    }
    return false;
}

template <bool kWide>
__device__ inline void takePart(Element const* x, Element const* scale, Element const* bias,
                                Element* to, void* work, Arguments const& arguments) {
    __shared__ float shared[32];
    __shared__ unsigned ticket;
    PartsWork const all(work, arguments.sets.count);
    if (threadIdx.x == 0) {
        ticket = atomicAdd(const_cast<unsigned*>(all.ticket), 1U);
    }
    __syncthreads();
    HeldPart<kWide> const part(ticket, arguments);
    Element const* const from = x + part.offsets[0] + part.first;
    typename RowOf<kWide, kPartPacks>::Type row;
    row.load(from, part.place);
    tellMoments(row, part.place, part.at, all, arguments, InBlock{shared});
    float mean = 0.0F;
    float factor = 0.0F;
    if (!awaitSet(all.sets[part.at.set], arguments.parts, mean, factor)) {
        if (threadIdx.x == 0) {
            unsigned const place = atomicAdd(const_cast<unsigned*>(all.ticket + 1), 1U);
            all.late(arguments)[place] = ticket;
        }
        return;
    }
    Factors const factors = part.factors(scale, bias, arguments);
    Element* const target = to + part.offsets[0] + part.first;
    if constexpr (kWide) {
        if (storeHeld(row, target, part.place, factors, mean, factor)) {
            return;
        }
    }
    ReadRow const again{from};
    again.store(target, Place<false, int>{part.place.extent, part.place.thread, 256}, mean, factor,
                factors);
}

KILN_KERNEL void __launch_bounds__(256, 2)
    parts_held(Element const* x, Element const* scale, Element const* bias, Element* to,
               void* work, KILN_IN_PLACE Arguments arguments) {
    if (rowsAreWide(arguments.members.count, x, to)) {
        takePart<true>(x, scale, bias, to, work, arguments);
    } else {
        takePart<false>(x, scale, bias, to, work, arguments);
    }
}

KILN_KERNEL void __launch_bounds__(256, 2)
    parts_late(Element const* x, Element const* scale, Element const* bias, Element* to,
               void* work, KILN_IN_PLACE Arguments arguments) {
    PartsWork const all(work, arguments.sets.count);
    unsigned const count = all.ticket[1];
    bool const isWide = rowsAreWide(arguments.members.count, x, to);
    for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
        unsigned const ticket = all.late(arguments)[i];
        if (isWide) {
            HeldPart<true> const part(ticket, arguments);
            applyToPart<true, kPartPacks>(x + part.offsets[0] + part.first,
                                          to + part.offsets[0] + part.first, part.place,
                                          part.factors(scale, bias, arguments),
                                          all.sets[part.at.set], arguments.parts);
        } else {
            HeldPart<false> const part(ticket, arguments);
            applyToPart<false, kPartPacks>(x + part.offsets[0] + part.first,
                                           to + part.offsets[0] + part.first, part.place,
                                           part.factors(scale, bias, arguments),
                                           all.sets[part.at.set], arguments.parts);
        }
    }
}
