// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Conversions between float and the 16-bit types, bit patterns in uint16_t, for attributes and
// small constants.
#pragma once

#include <cstdint>

namespace kiln::onnx {

float halfToFloat(uint16_t bits);
float bfloat16ToFloat(uint16_t bits);

// Round to nearest, ties to even; values that are too large become infinity.
uint16_t floatToHalf(float value);
uint16_t floatToBfloat16(float value);

} // namespace kiln::onnx
