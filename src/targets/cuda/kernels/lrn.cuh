// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// LRN: x / (k + alpha / window * sum of squares) ^ beta over neighbouring channels of
// [outer, channels, inner], computed in float. One thread per element; neighbours read neighbouring
// columns. KILN_ELEMENT: the type.
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

KILN_KERNEL void lrn(Element const* from, Element* to, Arguments arguments) {
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         index < arguments.count; index += step) {
        int64_t const plane = quotient(index, arguments.inner);
        int64_t const channel = plane - quotient(plane, arguments.channels) * arguments.channels;
        int64_t const first = channel < arguments.before ? channel : arguments.before;
        int64_t const rest = arguments.channels - 1 - channel;
        int64_t const last = rest < arguments.behind ? rest : arguments.behind;
        float sum = 0.0F;
        for (int64_t i = -first; i <= last; ++i) {
            float const x = toFloat(from[index + i * arguments.inner]);
            sum += x * x;
        }
        float const power = powf(arguments.k + arguments.factor * sum, arguments.beta);
        to[index] = fromFloat<Element>(toFloat(from[index]) / power);
    }
}
