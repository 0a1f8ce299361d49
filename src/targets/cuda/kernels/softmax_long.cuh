// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax of rows that do not fit registers: they are read twice, 16 bytes at a time. Macros:
// softmax.cuh.
#pragma once

#include "softmax_running.cuh"

constexpr int kLongThreads = 512;
constexpr int kPacksAtOnce = 4;

/// A row in packs, with single elements in front of and behind them. It is all single elements
/// unless source and target begin at the same place in a word.
struct SplitRow {
    Element const* from;
    Element* to;
    int64_t extent;
    int64_t head;
    int64_t packs;

    __device__ SplitRow(Element const* source, Element* target, int64_t count)
        : from(source), to(target), extent(count) {
        auto const address = reinterpret_cast<uint64_t>(source);
        bool const same = ((address ^ reinterpret_cast<uint64_t>(target)) & 15U) == 0;
        int64_t const lead = static_cast<int64_t>((16 - (address & 15U)) & 15U) /
                             static_cast<int64_t>(sizeof(Element));
        head = same && lead < count ? lead : count;
        packs = (count - head) / kVector;
    }
    /// Calls use(pack number, values) for the packs, and single(place) for all others.
    template <typename Use, typename Single>
    __device__ void visit(Use use, Single single) const {
        int64_t const thread = threadIdx.x;
        for (int64_t first = thread; first < packs; first += kPacksAtOnce * kLongThreads) {
            Held<Element, kVector> held[kPacksAtOnce];
#pragma unroll
            for (int i = 0; i < kPacksAtOnce; ++i) {
                if (first + i * kLongThreads < packs) {
                    held[i].load(from + head + (first + i * kLongThreads) * kVector);
                }
            }
#pragma unroll
            for (int i = 0; i < kPacksAtOnce; ++i) {
                if (first + i * kLongThreads < packs) {
                    float values[kVector];
#pragma unroll
                    for (int k = 0; k < kVector; ++k) {
                        values[k] = toFloat(held[i].at(k));
                    }
                    use(first + i * kLongThreads, values);
                }
            }
        }
        int64_t const inPacks = packs * kVector;
        for (int64_t i = thread; i < extent - inPacks; i += kLongThreads) {
            single(i < head ? i : i + inPacks);
        }
    }
};

KILN_KERNEL void __launch_bounds__(kLongThreads, 2)
    block_long(Element const* source, Element* target, Arguments arguments) {
    __shared__ float shared[32];
    for (int64_t number = blockIdx.x; number < arguments.outer; number += gridDim.x) {
        int64_t const offset = number * arguments.extent;
        SplitRow const row(source + offset, target + offset, arguments.extent);
        Running own = nothing();
        row.visit([&](int64_t, float const(&values)[kVector]) { own.add(values); },
                  [&](int64_t i) { own.add(toFloat(row.from[i])); });
        InBlock const all{shared};
        float const largest = all.maximum(own.largest);
        float const factor = 1.0F / all.sum(own.scaled(largest));
        row.visit(
            [&](int64_t pack, float const(&values)[kVector]) {
                Pack<Element, kVector> results;
#pragma unroll
                for (int i = 0; i < kVector; ++i) {
                    results.at[i] = fromFloat<Element>(expf(values[i] - largest) * factor);
                }
                *reinterpret_cast<Pack<Element, kVector>*>(row.to + row.head + pack * kVector) =
                    results;
            },
            [&](int64_t i) {
                row.to[i] = fromFloat<Element>(expf(toFloat(row.from[i]) - largest) * factor);
            });
    }
}
