// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/narrow_float.h"

#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Format {
    int32_t fractionBits;
    int32_t bias;
    double largest;
    bool isUnsignedZero; // one zero; the pattern of -0 is NaN. Infinities do not exist

    int32_t lowestExponent() const { return 1 - bias; } // of a normal number
};

Format formatOf(ElementType type) {
    switch (type) {
    case ElementType::kFloat8E4M3FNUZ: return {3, 8, 240, true};
    case ElementType::kFloat8E5M2FNUZ: return {2, 16, 57344, true};
    default: return {2, 15, 57344, false}; // FLOAT8E5M2
    }
}

// The largest power of two that is not above x, from 2^lowest on. Comparisons and products with
// powers of two are exact, which a logarithm is not.
Term powerBelow(Term x, int32_t lowest, std::span<int32_t const> steps) {
    Term power = x.like(std::ldexp(1.0, lowest));
    for (int32_t const step : steps) {
        Term const next = power * std::ldexp(1.0, step);
        power = (x < next).choose(power, next);
    }
    return power;
}

// `special` where the magnitude of x passes `most`.
Term limited(Term x, Term magnitude, double most, Term special) {
    return (magnitude > most).choose(special, x);
}

} // namespace

bool isNarrowFloat(ElementType type) {
    return type == ElementType::kFloat8E4M3FNUZ || type == ElementType::kFloat8E5M2 ||
           type == ElementType::kFloat8E5M2FNUZ || type == ElementType::kFloat8E8M0;
}

float narrowToFloat(uint8_t bits, ElementType type) {
    if (type == ElementType::kFloat8E8M0) {
        return bits == 0xFF ? kNaN : std::ldexp(1.0F, bits - 127);
    }
    Format const format = formatOf(type);
    if (format.isUnsignedZero && bits == 0x80) {
        return kNaN;
    }
    int32_t const fraction = bits & ((1 << format.fractionBits) - 1);
    int32_t const exponent = (bits & 0x7F) >> format.fractionBits;
    float const sign = (bits & 0x80) != 0 ? -1.0F : 1.0F;
    if (!format.isUnsignedZero && exponent == 0x1F) {
        return fraction == 0 ? sign * kInfinity : kNaN;
    }
    int32_t const whole = exponent == 0 ? fraction : fraction + (1 << format.fractionBits);
    int32_t const power = (exponent == 0 ? 1 : exponent) - format.bias - format.fractionBits;
    return sign * std::ldexp(static_cast<float>(whole), power);
}

Term roundedTo(Term x, ElementType type, Overflow overflow) {
    if (type == ElementType::kFloat8E8M0) {
        return roundedToPower(x, PowerRounding::kUp, overflow);
    }
    constexpr std::array<int32_t, 5> kSteps{16, 8, 4, 2, 1};
    Format const format = formatOf(type);
    Term const power = powerBelow(x.abs(), format.lowestExponent(), kSteps);
    Term const unit = power * std::ldexp(1.0, -format.fractionBits);
    Term const rounded = (x / unit).round() * unit;
    Term const magnitude = rounded.abs();
    Term const zero = x.like(0);
    // Infinities stay behind a rounding: infinity / unit.
    if (overflow == Overflow::kSaturate) {
        Term const most = (x < 0.0).choose(x.like(-format.largest), x.like(format.largest));
        Term const result = limited(rounded, magnitude, format.largest, most);
        return format.isUnsignedZero ? (result == 0.0).choose(zero, result) : result;
    }
    if (format.isUnsignedZero) {
        Term const result = limited(rounded, magnitude, format.largest, x.like(kNaN));
        return (result == 0.0).choose(zero, result);
    }
    Term const infinite = (x < 0.0).choose(x.like(-kInfinity), x.like(kInfinity));
    return limited(rounded, magnitude, format.largest, infinite);
}

Term roundedToPower(Term x, PowerRounding rounding, Overflow overflow) {
    constexpr std::array<int32_t, 9> kSteps{64, 64, 64, 32, 16, 8, 4, 2, 1};
    constexpr int32_t kLowest = -127;
    double const most = std::ldexp(1.0, 127);
    Term const below = powerBelow(x, kLowest, kSteps);
    Term power = below;
    if (rounding == PowerRounding::kUp) {
        power = (x > below).choose(below * 2.0, below);
    } else if (rounding == PowerRounding::kNearest) {
        power = (x < below * 1.5).choose(below, below * 2.0);
    }
    bool const saturates = overflow == Overflow::kSaturate;
    Term const result = limited(power, power, most, x.like(saturates ? most : kNaN));
    Term const isNaN = x.unary(nvinfer1::UnaryOperation::kISNAN);
    return isNaN.choose(x, result);
}

Term withoutOverflow(Term x) {
    constexpr double kHalfway = 464; // of 448, the largest, and the next number if there were one
    return limited(x, x.abs(), kHalfway, x.like(kNaN));
}

} // namespace kiln::onnx
