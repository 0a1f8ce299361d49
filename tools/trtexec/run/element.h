// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <NvInferRuntimeBase.h>

namespace kiln::trtexec {

/// "FLOAT", "HALF", ...
char const* nameOf(nvinfer1::DataType type) noexcept;

/// The size of one element in bits.
int32_t bitsOf(nvinfer1::DataType type) noexcept;

/// Formats element `index` of an array of `type`, with enough digits to restore the value; NaN and
/// infinities as "NaN", "Infinity", "-Infinity", booleans as 0 and 1. Throws a Failure for
/// unsupported types (8-bit and 4-bit floating point, 4-bit integers).
std::string elementText(nvinfer1::DataType type, void const* data, size_t index);

/// Exact value of an IEEE binary16 number.
float fromHalf(uint16_t bits) noexcept;
/// Exact value of a bfloat16 number.
float fromBfloat16(uint16_t bits) noexcept;

} // namespace kiln::trtexec
