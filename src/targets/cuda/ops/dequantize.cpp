// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dequantize.h"

#include "targets/cuda/quantization_kernel.h"

namespace kiln::targets::cuda {

void registerKernel_dequantize(KernelRegistry& registry) {
    registry.add(entryOf<QuantizationKernel<graph::Dequantize>>("dequantize_blocks"));
}

} // namespace kiln::targets::cuda
