// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Which elements an ITopKLayer keeps, best first.
enum class TopKOperation : int32_t {
    kMAX = 0, //!< The largest.
    kMIN = 1, //!< The smallest.
};

//! Number of values of TopKOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<TopKOperation>() noexcept {
    return 2;
}

} // namespace nvinfer1
