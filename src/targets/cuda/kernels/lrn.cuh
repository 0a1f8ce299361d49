// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// LRN: x / (k + alpha / window * sum of squares) ^ beta over neighbouring channels of
// [outer, channels, inner], computed in float. A thread computes neighbouring columns, a pack of 16
// bytes, and threads read neighbouring packs. `lrn_single`: one element. KILN_ELEMENT: the type.
#include "flat.cuh"
#include "power.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t count;
    int64_t channels;
    int64_t inner;
    int64_t before; ///< channels of a window in front of its own
    int64_t behind;
    float factor; ///< alpha / window
    float beta;
    float k;
};

template <int kWidth>
__device__ inline void normalize(Element const* from, Element* to, Arguments const& arguments) {
    constexpr bool kShort = sizeof(Element) == 2;
    bool const aligned = beginsVector<kWidth>(from) && beginsVector<kWidth>(to);
    int64_t const across = arguments.inner / kWidth;
    int64_t const count = arguments.count / kWidth;
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const plane = quotient(index, across);
        int64_t const channel = plane - quotient(plane, arguments.channels) * arguments.channels;
        int64_t const first = channel < arguments.before ? channel : arguments.before;
        int64_t const rest = arguments.channels - 1 - channel;
        int64_t const last = rest < arguments.behind ? rest : arguments.behind;
        Element const* const source = from + index * kWidth;
        float sums[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            sums[k] = 0.0F;
        }
        for (int64_t i = -first; i <= last; ++i) {
            auto const pack = loadPack<kWidth>(source + i * arguments.inner, aligned);
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                float const x = toFloat(pack.at[k]);
                sums[k] += x * x;
            }
        }
        auto pack = loadPack<kWidth>(source, aligned);
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            float const divisor =
                power<kShort>(arguments.k + arguments.factor * sums[k], arguments.beta);
            pack.at[k] = fromFloat<Element>(toFloat(pack.at[k]) / divisor);
        }
        storePack(to + index * kWidth, pack, aligned);
    }
}

KILN_KERNEL void lrn(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    normalize<widthFor(sizeof(Element))>(from, to, arguments);
}

KILN_KERNEL void lrn_single(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    normalize<1>(from, to, arguments);
}
