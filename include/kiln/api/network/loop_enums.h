// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Which values an ILoopOutputLayer returns from its loop.
enum class LoopOutput : int32_t {
    kLAST_VALUE = 0, //!< The value after the last iteration.
    //! The values of all iterations, concatenated in the order of the iterations.
    kCONCATENATE = 1,
    kREVERSE = 2, //!< The same in reverse order.
};

//! Number of values of LoopOutput, for loops and tables.
template <>
constexpr int32_t EnumMax<LoopOutput>() noexcept {
    return 3;
}

//! End condition of an ITripLimitLayer.
enum class TripLimit : int32_t {
    kCOUNT = 0, //!< A 32 or 64-bit integer scalar, known before the loop: the number of iterations.
    kWHILE = 1, //!< A boolean scalar, computed in the loop: false ends it.
};

//! Number of values of TripLimit, for loops and tables.
template <>
constexpr int32_t EnumMax<TripLimit>() noexcept {
    return 2;
}

} // namespace nvinfer1
