// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// quantize: clamp(round(x / scale) + zero point), in float32. As a chain where the scale is
// broadcast like an operand; blocks, 4 bits and other types of scales by the plain kernel.
#include "graph/ops/quantize.h"

#include "targets/cpu/pointwise/kernel.h"
#include "targets/cpu/quantization_kernel.h"

namespace kiln::targets::cpu {

void registerKernel_quantize(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Quantize>>("quantize_vector"));
    registry.add(entryOf<QuantizationKernel<graph::Quantize>>("quantize_reference"));
}

} // namespace kiln::targets::cpu
