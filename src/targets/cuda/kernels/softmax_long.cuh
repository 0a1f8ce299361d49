// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax of rows that are too long for registers. `block_held`: shared memory holds the row, which
// is read once. `parts_sums` and `parts_apply`: blocks share a row; each reduces its part to the
// workspace in the first launch, and combines all parts in the second. `block_long`: a block reads
// its row twice. Rows may begin at any element.
#pragma once

#include "softmax_applied.cuh"

/// The sums of all threads of a block.
__device__ inline Applied appliedOf(Running const& own, InBlock const& all) {
    float const largest = all.maximum(own.largest);
    return {largest, 1.0F / all.sum(own.scaled(largest))};
}

__device__ inline Floats<kVector> floatsOf(Pack<Element, kVector> const& held) {
    Floats<kVector> values;
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        values.at[i] = toFloat(held.at[i]);
    }
    return values;
}

KILN_KERNEL void __launch_bounds__(1024, 1)
    block_held(Element const* from, Element* to, void*, Arguments arguments) {
    typedef Pack<Element, kVector> Elements;
    KILN_DYNAMIC_SHARED(memory, kMostHeld);
    __shared__ float shared[32];
    waitForInputs();
    letNextBegin();
    auto* const held = reinterpret_cast<Elements*>(memory);
    auto const thread = static_cast<int>(threadIdx.x);
    auto const threads = static_cast<int>(blockDim.x);
    for (int64_t row = blockIdx.x; row < arguments.outer; row += gridDim.x) {
        Element const* const source = from + row * arguments.extent;
        Element* const target = to + row * arguments.extent;
        LongRow const place(source, target, arguments.extent);
        auto const packs = static_cast<int>(place.packs);
        auto const singles = static_cast<int>(place.singles());
        auto const* const wideSource = reinterpret_cast<Elements const*>(source + place.before);
        auto* const wideTarget = reinterpret_cast<Elements*>(target + place.before);
        auto* const heldSingles = reinterpret_cast<Element*>(held + packs);
        // Each thread reads what it has copied itself, so copies need no barrier.
        constexpr int kGroup = 4; // of which three are under way
        int begun = thread;
        for (int group = 0; group < 2; ++group) {
            for (int i = 0; i < kGroup; ++i, begun += threads) {
                if (begun < packs) {
                    beginCopy(held + begun, wideSource + begun, true);
                }
            }
            endGroup();
        }
        Running own = nothing();
        for (int i = thread; i < singles; i += threads) {
            heldSingles[i] = source[place.single(i)];
            own.addAll<1>({toFloat(heldSingles[i])});
        }
        for (int pack = thread; pack < packs;) {
#pragma unroll
            for (int i = 0; i < kGroup; ++i, begun += threads) {
                if (begun < packs) {
                    beginCopy(held + begun, wideSource + begun, true);
                }
            }
            endGroup();
            waitForGroups<2>();
#pragma unroll
            for (int i = 0; i < kGroup; ++i, pack += threads) {
                if (pack < packs) {
                    own.addAll(floatsOf(held[pack]));
                }
            }
        }
        Applied const applied = appliedOf(own, InBlock{shared});
        for (int i = thread; i < singles; i += threads) {
            target[place.single(i)] = fromFloat<Element>(applied(toFloat(heldSingles[i])));
        }
#pragma unroll 2
        for (int pack = thread; pack < packs; pack += threads) {
            storeAtOnce(wideTarget[pack].at, applied(held[pack]));
        }
        waitForGroups<0>();
    }
}

/// Reads what a block has of a row.
__device__ inline Running runningOf(Element const* source, LongRow const& place) {
    Running own = nothing();
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < place.singles(); i += blockDim.x) {
        own.addAll<1>({toFloat(source[place.single(i)])});
    }
    int64_t const step = blockDim.x;
    int64_t first = threadIdx.x;
    for (; first + (kAtOnce - 1) * step < place.packs; first += kAtOnce * step) {
        Pack<Element, kVector> held[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            held[i] = place.packAt(source, first + i * step);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            own.addAll(floatsOf(held[i]));
        }
    }
#pragma unroll 4
    for (; first < place.packs; first += step) {
        own.addAll(floatsOf(place.packAt(source, first)));
    }
    return own;
}

/// Reads it again and writes the results. Loads before stores, which the compiler keeps in order.
__device__ inline void apply(Element const* source, Element* target, LongRow const& place,
                             Applied const& applied) {
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < place.singles(); i += blockDim.x) {
        int64_t const at = place.single(i);
        target[at] = fromFloat<Element>(applied(toFloat(source[at])));
    }
    int64_t const step = blockDim.x;
    int64_t first = threadIdx.x;
    for (; first < place.packs; first += kAtOnce * step) {
        Pack<Element, kVector> held[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            int64_t const pack = first + i * step;
            held[i] = place.packAt(source, pack < place.packs ? pack : first);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            int64_t const pack = first + i * step;
            if (pack < place.packs) {
                storeAtOnce(place.packAt(target, pack).at, applied(held[i]));
            }
        }
    }
}

KILN_KERNEL void __launch_bounds__(512, 2)
    block_long(Element const* from, Element* to, void*, Arguments arguments) {
    __shared__ float shared[32];
    waitForInputs();
    letNextBegin();
    for (int64_t row = blockIdx.x; row < arguments.outer; row += gridDim.x) {
        Element const* const source = from + row * arguments.extent;
        Element* const target = to + row * arguments.extent;
        LongRow const place(source, target, arguments.extent);
        apply(source, target, place, appliedOf(runningOf(source, place), InBlock{shared}));
    }
}

/// What a block has of a row.
struct Part {
    int64_t row;
    int64_t first; ///< element
    int64_t count;

    __device__ Part(int64_t item, Arguments const& arguments)
        : row(quotient(item, arguments.parts)),
          first((item - row * arguments.parts) * arguments.part) {
        int64_t const rest = arguments.extent - first;
        count = rest < arguments.part ? rest : arguments.part;
    }
};

KILN_KERNEL void __launch_bounds__(256, 4)
    parts_sums(Element const* from, Element* to, void* work, Arguments arguments) {
    __shared__ float shared[32];
    InBlock const all{shared};
    waitForInputs();
    letNextBegin();
    for (int64_t item = blockIdx.x; item < arguments.outer * arguments.parts; item += gridDim.x) {
        Part const part(item, arguments);
        int64_t const offset = part.row * arguments.extent + part.first;
        Running const own =
            runningOf(from + offset, LongRow(from + offset, to + offset, part.count));
        float const largest = all.maximum(own.largest);
        float const sum =
            all.sum(largest == -infinity() ? own.sum : own.scaled(largest));
        if (threadIdx.x == 0) {
            static_cast<Running*>(work)[item] = {largest, sum};
        }
    }
}

KILN_KERNEL void __launch_bounds__(256, 4)
    parts_apply(Element const* from, Element* to, void* work, Arguments arguments) {
    waitForInputs();
    letNextBegin();
    for (int64_t item = blockIdx.x; item < arguments.outer * arguments.parts; item += gridDim.x) {
        Part const part(item, arguments);
        Running const* const own = static_cast<Running const*>(work) + part.row * arguments.parts;
        float largest = -infinity();
        for (int64_t i = 0; i < arguments.parts; ++i) {
            largest = larger(largest, own[i].largest);
        }
        float sum = 0.0F;
        for (int64_t i = 0; i < arguments.parts; ++i) {
            sum += own[i].scaled(largest);
        }
        int64_t const offset = part.row * arguments.extent + part.first;
        apply(from + offset, to + offset, LongRow(from + offset, to + offset, part.count),
              {largest, 1.0F / sum});
    }
}
