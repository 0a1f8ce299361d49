// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pointwise: a region of pointwise operations, with reductions along the innermost axes in memory,
// as one pass over memory. float32, float16, bfloat16 and bool; casts of integers at its borders.
#include "targets/cpu/pointwise/kernel.h"

namespace kiln::targets::cpu {

void registerKernel_pointwise(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Region>>("pointwise"));
}

} // namespace kiln::targets::cpu
