// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// A product or a convolution (channels last, constant weights) between dequantized operands of
/// int8, uint8 or fp8, with any pointwise operations behind it, a quantization among them, in one
/// launch of Kiln's own kernel: see kernels/quantized_product.cuh.
target::KernelEntry regionQuantized();

} // namespace kiln::targets::cuda
