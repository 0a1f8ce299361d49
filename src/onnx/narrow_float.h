// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Floating-point types of 8 bits that a network does not have: FLOAT stands for them, and a cast to
// them is a rounding.
#pragma once

#include "onnx/term.h"

#include <string_view>

namespace kiln::onnx {

bool isNarrowFloat(ElementType type);

// The number that the 8 bits stand for.
float narrowToFloat(uint8_t bits, ElementType type);

enum class Overflow { kSaturate, kSpecial }; // to the largest number; to infinity or NaN
enum class PowerRounding { kUp, kDown, kNearest };

// FLOAT numbers rounded to those of the type, to the nearest one, halves to the even one.
Term roundedTo(Term x, ElementType type, Overflow overflow);

// FLOAT numbers rounded to powers of two, as FLOAT8E8M0 has them.
Term roundedToPower(Term x, PowerRounding rounding, Overflow overflow);

// NaN where a number is too large for FLOAT8E4M3FN, which a cast of the network would saturate.
Term withoutOverflow(Term x);

} // namespace kiln::onnx
