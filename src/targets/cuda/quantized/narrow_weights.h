// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// A product of a few rows of float16 or bfloat16 with constant weights of int4, fp4, int8, uint8
/// or fp8, which are dequantized in the kernel, by scales of blocks of terms or of columns, with
/// any pointwise operations behind: see kernels/narrow_weights.cuh.
target::KernelEntry regionNarrowWeights();

} // namespace kiln::targets::cuda
