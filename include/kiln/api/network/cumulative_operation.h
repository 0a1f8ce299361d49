// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! What an ICumulativeLayer accumulates along its axis.
enum class CumulativeOperation : int32_t {
    kSUM = 0, //!< Running sum.
};

//! Number of values of CumulativeOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<CumulativeOperation>() noexcept {
    return 1;
}

} // namespace nvinfer1
