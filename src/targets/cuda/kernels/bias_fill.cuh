// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fills [batch, maps, plane] with one value per map. A block fills a part of one plane.
// KILN_ELEMENT: an unsigned integer as wide as the type.
#include "prelude.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t planes; ///< of all images
    int64_t maps;
    int64_t plane; ///< elements
    int64_t blocks; ///< per plane
};

KILN_KERNEL void bias_fill(Element const* bias, Element* to, Arguments arguments) {
    for (int64_t task = blockIdx.x; task < arguments.planes * arguments.blocks;
         task += gridDim.x) {
        int64_t const plane = quotient(task, arguments.blocks);
        Element const value = bias[plane - quotient(plane, arguments.maps) * arguments.maps];
        Element* const target = to + plane * arguments.plane;
        int64_t const step = arguments.blocks * blockDim.x;
        for (int64_t i = (task - plane * arguments.blocks) * blockDim.x + threadIdx.x;
             i < arguments.plane; i += step) {
            target[i] = value;
        }
    }
}
