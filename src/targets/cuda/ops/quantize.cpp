// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/quantize.h"

#include "targets/cuda/quantization_kernel.h"

namespace kiln::targets::cuda {

void registerKernel_quantize(KernelRegistry& registry) {
    registry.add(entryOf<QuantizationKernel<graph::Quantize>>("quantize_blocks"));
}

} // namespace kiln::targets::cuda
