// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Function that an IUnaryLayer applies to each element x.
enum class UnaryOperation : int32_t {
    kEXP = 0,    //!< e ^ x.
    kLOG = 1,    //!< Natural logarithm.
    kSQRT = 2,   //!< Square root.
    kRECIP = 3,  //!< 1 / x.
    kABS = 4,    //!< Absolute value.
    kNEG = 5,    //!< -x.
    kSIN = 6,    //!< Sine of radians.
    kCOS = 7,    //!< Cosine.
    kTAN = 8,    //!< Tangent.
    kSINH = 9,   //!< Hyperbolic sine.
    kCOSH = 10,  //!< Hyperbolic cosine.
    kASIN = 11,  //!< Inverse sine.
    kACOS = 12,  //!< Inverse cosine.
    kATAN = 13,  //!< Inverse tangent.
    kASINH = 14, //!< Inverse hyperbolic sine.
    kACOSH = 15, //!< Inverse hyperbolic cosine.
    kATANH = 16, //!< Inverse hyperbolic tangent.
    kCEIL = 17,  //!< Smallest integer >= x.
    kFLOOR = 18, //!< Largest integer <= x.
    kERF = 19,   //!< Gauss error function.
    kNOT = 20,   //!< Logical negation; booleans only.
    kSIGN = 21,  //!< 1, 0 or -1.
    kROUND = 22, //!< Nearest integer, ties to even.
    kISINF = 23, //!< Boolean: x is infinite.
    kISNAN = 24, //!< Boolean: x is not a number.
};

//! Number of values of UnaryOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<UnaryOperation>() noexcept {
    return 25;
}

} // namespace nvinfer1
