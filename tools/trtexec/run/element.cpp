// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/element.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "failure.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;

template <typename T>
T elementAt(void const* data, size_t index) {
    T value;
    std::memcpy(&value, static_cast<char const*>(data) + index * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
std::string shortest(T value) {
    std::array<char, 32> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

/// `digits`: significant decimal digits that distinguish all values of the type; 0: as for float.
std::string realText(float value, int digits) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-Infinity" : "Infinity";
    }
    if (digits == 0) {
        return shortest(value);
    }
    std::array<char, 32> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::general, digits);
    return {text.data(), end.ptr};
}

} // namespace

char const* nameOf(DataType type) noexcept {
    switch (type) {
    case DataType::kFLOAT: return "FLOAT";
    case DataType::kHALF: return "HALF";
    case DataType::kINT8: return "INT8";
    case DataType::kINT32: return "INT32";
    case DataType::kBOOL: return "BOOL";
    case DataType::kUINT8: return "UINT8";
    case DataType::kFP8: return "FP8";
    case DataType::kBF16: return "BF16";
    case DataType::kINT64: return "INT64";
    case DataType::kINT4: return "INT4";
    case DataType::kFP4: return "FP4";
    case DataType::kE8M0: return "E8M0";
    }
    return "unknown";
}

int32_t bitsOf(DataType type) noexcept {
    switch (type) {
    case DataType::kINT64: return 64;
    case DataType::kFLOAT:
    case DataType::kINT32: return 32;
    case DataType::kHALF:
    case DataType::kBF16: return 16;
    case DataType::kINT4:
    case DataType::kFP4: return 4;
    default: return 8;
    }
}

float fromHalf(uint16_t bits) noexcept {
    int const exponent = (bits >> 10) & 0x1F;
    int const fraction = bits & 0x3FF;
    float value = 0;
    if (exponent == 0x1F) {
        value = fraction == 0 ? INFINITY : NAN;
    } else if (exponent == 0) {
        value = std::ldexp(static_cast<float>(fraction), -24);
    } else {
        value = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
    }
    return std::copysign(value, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
}

float fromBfloat16(uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

std::string elementText(DataType type, void const* data, size_t index) {
    constexpr int kHalfDigits = 5;
    constexpr int kBfloat16Digits = 4;
    switch (type) {
    case DataType::kFLOAT: return realText(elementAt<float>(data, index), 0);
    case DataType::kHALF: return realText(fromHalf(elementAt<uint16_t>(data, index)), kHalfDigits);
    case DataType::kBF16:
        return realText(fromBfloat16(elementAt<uint16_t>(data, index)), kBfloat16Digits);
    case DataType::kINT8: return shortest(static_cast<int>(elementAt<int8_t>(data, index)));
    case DataType::kUINT8: return shortest(static_cast<int>(elementAt<uint8_t>(data, index)));
    case DataType::kBOOL: return elementAt<uint8_t>(data, index) != 0 ? "1" : "0";
    case DataType::kINT32: return shortest(elementAt<int32_t>(data, index));
    case DataType::kINT64: return shortest(elementAt<int64_t>(data, index));
    default: break;
    }
    fail("[run] expected a type whose values can be written, got {}. Leave out --dumpOutput and "
         "--exportOutput, or cast the output in the model",
         nameOf(type));
}

} // namespace kiln::trtexec
