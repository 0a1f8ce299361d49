// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// DataType: the type of the elements of a tensor or of weights.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The type of one element. Two 4-bit elements share a byte, the first in the low half.
enum class DataType : int32_t {
    kFLOAT = 0, //!< 32 bits, IEEE 754 binary32.
    kHALF = 1,  //!< 16 bits, IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
    kINT8 = 2,  //!< 8 bits, two's complement.
    kINT32 = 3, //!< 32 bits, two's complement.
    kBOOL = 4,  //!< 8 bits: 0 is false, 1 is true; any other value is not defined.
    kUINT8 = 5, //!< 8 bits, unsigned. For network inputs and outputs, casts and plugins only.
    kFP8 = 6,   //!< 8 bits, E4M3: 4 bits of exponent, 3 of fraction, no infinity, largest 448.
    kBF16 = 7,  //!< 16 bits, bfloat16: the upper half of a kFLOAT.
    kINT64 = 8, //!< 64 bits, two's complement.
    kINT4 = 9,  //!< 4 bits, two's complement: -8 to 7.
    kFP4 = 10,  //!< 4 bits, E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    kE8M0 = 11, //!< 8 bits, exponent only: the power of two 2^(x - 127), used as a scale.
};

template <>
constexpr int32_t EnumMax<DataType>() noexcept {
    return 12;
}

} // namespace nvinfer1

#pragma GCC visibility pop
