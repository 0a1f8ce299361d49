// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// EnumMax<T>(): the number of enumerators of an enum.
#pragma once

#include "kiln/api/macros.h"

#include <cstdint>

namespace nvinfer1 {

//! One more than the largest value of the enum T, whose values run from 0 without a gap.
//!
//! For arrays indexed by T and for loops: `for (int32_t i = 0; i < EnumMax<T>(); ++i)`. Each enum's
//! header specializes it; for any other type the call does not compile. Later releases may return a
//! larger number.
template <typename T>
constexpr int32_t EnumMax() noexcept = delete;

} // namespace nvinfer1
