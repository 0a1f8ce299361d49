// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// bit cast: the bytes of the input.
#include "graph/ops/bit_cast.h"

#include "targets/cuda/bytes_kernel.h"

namespace kiln::targets::cuda {

void registerKernel_bit_cast(KernelRegistry& registry) {
    registry.add(entryOf<BytesKernel<graph::BitCast>>("bit_cast_copy"));
}

} // namespace kiln::targets::cuda
