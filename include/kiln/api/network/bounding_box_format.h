// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Meaning of the four numbers that describe a box in an INMSLayer.
enum class BoundingBoxFormat : int32_t {
    kCORNER_PAIRS = 0, //!< (x1, y1, x2, y2): two opposite corners, in any order.
    kCENTER_SIZES = 1, //!< (x, y, width, height): centre and extents.
};

//! Number of values of BoundingBoxFormat, for loops and tables.
template <>
constexpr int32_t EnumMax<BoundingBoxFormat>() noexcept {
    return 2;
}

} // namespace nvinfer1
