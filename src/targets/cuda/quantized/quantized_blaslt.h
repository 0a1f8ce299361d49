// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// A quantized product, or convolution with a window of one position, of int8 or fp8 by cuBLASLt.
/// The sums, in int32 or float32, go to the workspace, and a generated kernel applies scales and
/// the operations behind. fp8 with two constant scales and at most a ReLU behind is one call.
target::KernelEntry regionQuantizedCublasLt();

} // namespace kiln::targets::cuda
