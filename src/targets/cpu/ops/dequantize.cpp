// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// dequantize: (x - zero point) * scale, in float32. As a chain where the scale is broadcast like an
// operand; blocks, 4 bits and other types of scales by the plain kernel.
#include "graph/ops/dequantize.h"

#include "targets/cpu/pointwise/kernel.h"
#include "targets/cpu/quantization_kernel.h"

namespace kiln::targets::cpu {

void registerKernel_dequantize(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Dequantize>>("dequantize_vector"));
    registry.add(entryOf<QuantizationKernel<graph::Dequantize>>("dequantize_reference"));
}

} // namespace kiln::targets::cpu
