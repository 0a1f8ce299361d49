// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Granularity of the coefficients of an IScaleLayer.
enum class ScaleMode : int32_t {
    kUNIFORM = 0,     //!< One coefficient for the whole tensor.
    kCHANNEL = 1,     //!< One for each index of the channel axis.
    kELEMENTWISE = 2, //!< One for each element after the batch axis.
};

//! Number of values of ScaleMode, for loops and tables.
template <>
constexpr int32_t EnumMax<ScaleMode>() noexcept {
    return 3;
}

} // namespace nvinfer1
