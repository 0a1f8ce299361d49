// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// convolution by cuDNN: float32 (never TF32), float16 and bfloat16, summed in float32; linear, or
/// 16-bit elements with channels last. The first kernel uses a workspace, the bare one does not,
/// for builds that allow none. With channels last the build times cuDNN's engines and the plan
/// stores the fastest one; otherwise the engine is chosen at run time for each shape.
target::KernelEntry convolutionCudnn();
target::KernelEntry convolutionCudnnBare();

/// The same for a region that begins with a convolution, as one graph of cuDNN.
target::KernelEntry regionCudnn();

} // namespace kiln::targets::cuda
