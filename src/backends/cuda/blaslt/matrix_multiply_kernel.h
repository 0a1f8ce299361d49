// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel_registry.h"

namespace kiln::backends::cuda {

/// matrix_multiply by cuBLASLt: float32 (never TF32), float16 and bfloat16, summed in float32. The
/// plan keeps the problem; algorithms are chosen where it runs, at each shape. The one with a
/// workspace comes first; the other is for those who allow none.
backend::KernelEntry matrixMultiplyCublasLt();
backend::KernelEntry matrixMultiplyCublasLtBare();

} // namespace kiln::backends::cuda
