// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements as the emulated libraries read and write them.
#pragma once

#include "base/bfloat16.h"
#include "base/half.h"

namespace kiln::emulation {

enum class Number { kFloat, kHalf, kBfloat16 };

inline std::size_t bytesOf(Number number) {
    return number == Number::kFloat ? 4 : 2;
}

inline float load(void const* data, int64_t at, Number number) {
    switch (number) {
    case Number::kFloat: return static_cast<float const*>(data)[at];
    case Number::kHalf: return static_cast<float>(static_cast<Half const*>(data)[at]);
    default: return static_cast<float>(static_cast<BFloat16 const*>(data)[at]);
    }
}

inline void store(void* data, int64_t at, Number number, float value) {
    switch (number) {
    case Number::kFloat: static_cast<float*>(data)[at] = value; break;
    case Number::kHalf: static_cast<Half*>(data)[at] = Half(value); break;
    default: static_cast<BFloat16*>(data)[at] = BFloat16(value); break;
    }
}

} // namespace kiln::emulation
