// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// bit cast: the bytes of the input.
#include "graph/ops/bit_cast.h"

#include "targets/cpu/bytes_kernel.h"

namespace kiln::targets::cpu {

void registerKernel_bit_cast(KernelRegistry& registry) {
    registry.add(entryOf<BytesKernel<graph::BitCast>>("bit_cast_reference"));
}

} // namespace kiln::targets::cpu
