// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements as the emulated libraries read and write them.
#pragma once

#include "base/bfloat16.h"
#include "base/half.h"
#include "base/narrow_numbers.h"

namespace kiln::emulation {

enum class Number { kFloat, kHalf, kBfloat16, kInt8, kInt32, kFp8 };

inline std::size_t bytesOf(Number number) {
    switch (number) {
    case Number::kFloat:
    case Number::kInt32: return 4;
    case Number::kInt8:
    case Number::kFp8: return 1;
    default: return 2;
    }
}

inline float load(void const* data, int64_t at, Number number) {
    switch (number) {
    case Number::kFloat: return static_cast<float const*>(data)[at];
    case Number::kHalf: return static_cast<float>(static_cast<Half const*>(data)[at]);
    case Number::kInt8: return static_cast<int8_t const*>(data)[at];
    case Number::kInt32: return static_cast<float>(static_cast<int32_t const*>(data)[at]);
    case Number::kFp8: return fp8ToFloat(static_cast<uint8_t const*>(data)[at]);
    default: return static_cast<float>(static_cast<BFloat16 const*>(data)[at]);
    }
}

inline void store(void* data, int64_t at, Number number, float value) {
    switch (number) {
    case Number::kFloat: static_cast<float*>(data)[at] = value; break;
    case Number::kHalf: static_cast<Half*>(data)[at] = Half(value); break;
    case Number::kInt8: static_cast<int8_t*>(data)[at] = static_cast<int8_t>(value); break;
    case Number::kInt32: static_cast<int32_t*>(data)[at] = static_cast<int32_t>(value); break;
    case Number::kFp8: static_cast<uint8_t*>(data)[at] = floatToFp8(value); break;
    default: static_cast<BFloat16*>(data)[at] = BFloat16(value); break;
    }
}

} // namespace kiln::emulation
