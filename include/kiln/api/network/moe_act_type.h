// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Activation between the two matrix products of an IMoELayer.
enum class MoEActType : int32_t {
    kNONE = 0, //!< None.
    kSILU = 1, //!< x * sigmoid(x).
};

//! Number of values of MoEActType, for loops and tables.
template <>
constexpr int32_t EnumMax<MoEActType>() noexcept {
    return 2;
}

} // namespace nvinfer1
