// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// The products and convolutions of regionQuantized() for int8 and uint8 on GPUs of compute
/// capability 9.0: see kernels/quantized_warpgroups.cuh.
target::KernelEntry regionQuantizedWarpgroups();

} // namespace kiln::targets::cuda
