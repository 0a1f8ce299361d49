// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// shape: writes the extents of a tensor, one per thread. The host knows them; the input is not
// read.
#include "prelude.cuh"

struct Arguments {
    int64_t extents[kMaxRank];
    int32_t rank;
};

KILN_KERNEL void shape(void const*, int64_t* to, KILN_IN_PLACE Arguments arguments) {
    auto const axis = static_cast<int32_t>(threadIdx.x);
    if (axis < arguments.rank) {
        to[axis] = arguments.extents[axis];
    }
}
