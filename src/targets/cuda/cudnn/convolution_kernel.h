// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// convolution by cuDNN: float32 (not TF32), float16 and bfloat16, summed in float32; linear, or
/// 16-bit elements with channels last. The first kernel uses a workspace, the bare one does not,
/// for builds that allow none. With channels last the build times cuDNN's engines and the plan
/// stores the fastest one; otherwise the engine is chosen at run time for each shape.
target::KernelEntry convolutionCudnn();
target::KernelEntry convolutionCudnnBare();

/// With operands of float32 rounded to TF32, linear or with channels last, if the node allows it.
target::KernelEntry convolutionCudnnTf32();

/// The same for a region that begins with a convolution, as one graph of cuDNN.
target::KernelEntry regionCudnn();
target::KernelEntry regionCudnnTf32();

} // namespace kiln::targets::cuda
