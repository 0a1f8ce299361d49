// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// convolution by cuDNN: float32 (never TF32), float16 and bfloat16, summed in float32. The plan
/// stores the problem; the engine is chosen at run time for each shape. The first kernel uses a
/// workspace, the bare one does not, for builds that allow none.
target::KernelEntry convolutionCudnn();
target::KernelEntry convolutionCudnnBare();

} // namespace kiln::targets::cuda
