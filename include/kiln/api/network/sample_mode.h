// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! What ISliceLayer and IGridSampleLayer read outside the input.
enum class SampleMode : int32_t {
    kSTRICT_BOUNDS = 0, //!< Access outside is an error. Default of slices.
    kWRAP = 1,          //!< The coordinate modulo the extent.
    kCLAMP = 2,         //!< The nearest border element.
    kFILL = 3,          //!< A given fill value, zero unless set.
    kREFLECT = 4,       //!< The mirror image; the border element is not repeated.
};

//! Number of values of SampleMode, for loops and tables.
template <>
constexpr int32_t EnumMax<SampleMode>() noexcept {
    return 5;
}

} // namespace nvinfer1
