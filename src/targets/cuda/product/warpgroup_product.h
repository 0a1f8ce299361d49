// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// A matrix product with any pointwise operations behind it, in one launch on GPUs of compute
/// capability 9.0; see kernels/product_warpgroups.cuh. cuBLASLt multiplies as fast, but has few
/// operations that may follow.
target::KernelEntry regionWarpgroups();

} // namespace kiln::targets::cuda
