// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// phase_kernel: the kernel of a transposed convolution in the order of a convolution that computes
// all phases. One thread per element of the result. KILN_ELEMENT: an unsigned integer as wide as
// the type.
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t count;
    int64_t phases;
    int64_t maps;     ///< of a group
    int64_t channels; ///< of a group
    int64_t size[3];  ///< 1 for axes that are not there
    int64_t taps[3];
    int64_t stride[3];
    int64_t dilation[3];
};

__device__ inline int64_t splitOff(int64_t& number, int64_t divisor) {
    int64_t const whole = quotient(number, divisor);
    int64_t const rest = number - whole * divisor;
    number = whole;
    return rest;
}

KILN_KERNEL void phase_kernel(Element const* from, Element* to,
                              KILN_IN_PLACE Arguments arguments) {
    for (int64_t index = threadIndex(); index < arguments.count; index += threadCount()) {
        int64_t rest = index;
        int64_t tap[3];
#pragma unroll
        for (int axis = 2; axis >= 0; --axis) {
            tap[axis] = splitOff(rest, arguments.taps[axis]);
        }
        int64_t const channel = splitOff(rest, arguments.channels);
        int64_t const map = splitOff(rest, arguments.maps);
        int64_t phase = splitOff(rest, arguments.phases);
        int64_t position = 0;
        int64_t step = 1;
        bool inside = true;
#pragma unroll
        for (int axis = 2; axis >= 0; --axis) {
            int64_t const own = splitOff(phase, arguments.stride[axis]);
            int64_t const spread =
                (arguments.taps[axis] - 1 - tap[axis]) * arguments.stride[axis] + own;
            int64_t const at = quotient(spread, arguments.dilation[axis]);
            inside = inside && at * arguments.dilation[axis] == spread &&
                     at < arguments.size[axis];
            position += at * step;
            step *= arguments.size[axis];
        }
        int64_t const plane = (rest * arguments.channels + channel) * arguments.maps + map;
        to[index] = inside ? from[plane * step + position] : Element{};
    }
}
