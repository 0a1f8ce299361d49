// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How IResizeLayer and IGridSampleLayer interpolate between samples.
enum class InterpolationMode : int32_t {
    kNEAREST = 0, //!< The nearest sample, see ResizeRoundMode.
    kLINEAR = 1,  //!< Linear along each of the resized axes (1 to 3 of them).
    kCUBIC = 2,   //!< Cubic convolution over 4 x 4 samples; two axes.
};

//! Number of values of InterpolationMode, for loops and tables.
template <>
constexpr int32_t EnumMax<InterpolationMode>() noexcept {
    return 3;
}

//! How IResizeLayer maps an output index x to an input coordinate. inLen and outLen are the extents
//! of the axis, scale = outLen / inLen.
enum class ResizeCoordinateTransformation : int32_t {
    kALIGN_CORNERS = 0, //!< x * (inLen - 1) / (outLen - 1): first and last samples coincide.
    kASYMMETRIC = 1,    //!< x / scale.
    kHALF_PIXEL = 2,    //!< (x + 0.5) / scale - 0.5: samples are pixel centres.
};

//! Number of values of ResizeCoordinateTransformation, for loops and tables.
template <>
constexpr int32_t EnumMax<ResizeCoordinateTransformation>() noexcept {
    return 3;
}

//! How IResizeLayer maps the coordinate if the output has a single element along an axis.
enum class ResizeSelector : int32_t {
    kFORMULA = 0, //!< By ResizeCoordinateTransformation.
    kUPPER = 1,   //!< To the upper (first) sample.
};

//! Number of values of ResizeSelector, for loops and tables.
template <>
constexpr int32_t EnumMax<ResizeSelector>() noexcept {
    return 2;
}

//! Rounding of kNEAREST.
enum class ResizeRoundMode : int32_t {
    kHALF_UP = 0,   //!< The nearest; a tie goes up.
    kHALF_DOWN = 1, //!< The nearest; a tie goes down.
    kFLOOR = 2,     //!< The one below.
    kCEIL = 3,      //!< The one above.
};

//! Number of values of ResizeRoundMode, for loops and tables.
template <>
constexpr int32_t EnumMax<ResizeRoundMode>() noexcept {
    return 4;
}

} // namespace nvinfer1
