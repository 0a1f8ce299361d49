// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! The values that an IFillLayer generates.
enum class FillOperation : int32_t {
    //! alpha + index * beta: evenly spaced values; beta may have one entry for each axis.
    kLINSPACE = 0,
    kRANDOM_UNIFORM = 1, //!< Uniform in [alpha, beta).
    kRANDOM_NORMAL = 2,  //!< Normal with mean alpha and standard deviation beta.
};

//! Number of values of FillOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<FillOperation>() noexcept {
    return 3;
}

} // namespace nvinfer1
