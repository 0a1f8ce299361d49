// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/tensor_buffer.h"

namespace kiln::trtexec {

/// Fills the tensor with values that depend on its name and type alone: reals in [-1, 1) in steps
/// of 1/128 (exact in every floating-point type down to bfloat16), integers in [-128, 127], bytes
/// in [0, 255], booleans 0 or 1. Throws a Failure for types narrower than a byte or without a
/// plain encoding.
void fillRandom(TensorBuffer& tensor);

} // namespace kiln::trtexec
