// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/tensor_buffer.h"

namespace kiln::trtexec {

/// Fills the tensor with values that depend only on its name and type: reals in [-1, 1) in steps of
/// 1/128 (exact in float, half and bfloat16), signed integers in [-128, 127], unsigned bytes in [0,
/// 255], booleans 0 or 1. Throws a Failure for all other types.
void fillRandom(TensorBuffer& tensor);

} // namespace kiln::trtexec
