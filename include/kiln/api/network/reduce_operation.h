// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How an IReduceLayer combines elements.
enum class ReduceOperation : int32_t {
    kSUM = 0,  //!< Sum.
    kPROD = 1, //!< Product.
    kMAX = 2,  //!< Largest.
    kMIN = 3,  //!< Smallest.
    kAVG = 4,  //!< Arithmetic mean.
    kNONE = 5, //!< No reduction, for collectives that only move data.
};

//! Number of values of ReduceOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<ReduceOperation>() noexcept {
    return 6;
}

} // namespace nvinfer1
