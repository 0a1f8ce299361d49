// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// matrix product by cuBLASLt: float32 (not TF32), float16 and bfloat16, summed in float32. The
/// first kernel uses the workspace that cuBLAS recommends, the bare one does not, for builds that
/// allow none. A build on a GPU times the heuristic's algorithms and stores the fastest one for the
/// optimum shapes; other shapes take the heuristic's best.
target::KernelEntry matrixMultiplyCublasLt();
target::KernelEntry matrixMultiplyCublasLtBare();

/// With operands of float32 rounded to TF32, if the node allows it; so below.
target::KernelEntry matrixMultiplyCublasLtTf32();

/// The same for convolutions with a window of one position and channels last.
target::KernelEntry convolutionCublasLt();
target::KernelEntry convolutionCublasLtTf32();

/// The same for a region of one of these, additions of a bias and of a matrix, and a last ReLU or
/// GELU, in one launch.
target::KernelEntry regionCublasLt();
target::KernelEntry regionCublasLtTf32();

} // namespace kiln::targets::cuda
