// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// TensorFormat: the memory format of a tensor.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The order of a tensor's elements in memory.
//!
//! Names list the dimensions from slowest to fastest, with N first and omitted. C is the third
//! dimension from the end for formats over HW and the fourth from the end for formats over DHW. A
//! number n after a format packs C into vectors of n and rounds its extent up to a multiple of n.
//! The extra elements of the last vector are padding with undefined contents. Shapes in the API
//! always state the extents before packing.
//!
//! Example: kCHW4 stores element [n, c, h, w] of [N, C, H, W] at
//! ((n * ceil(C / 4) + c / 4) * H + h) * W * 4 + w * 4 + c % 4.
enum class TensorFormat : int32_t {
    kLINEAR = 0,     //!< Row-major, the last dimension fastest; any rank, any type.
    kCHW2 = 1,       //!< C packed by 2.
    kHWC8 = 2,       //!< C fastest, its extent rounded up to a multiple of 8.
    kCHW4 = 3,       //!< C packed by 4.
    kCHW16 = 4,      //!< C packed by 16.
    kCHW32 = 5,      //!< C packed by 32.
    kDHWC8 = 6,      //!< Three spatial dimensions; C fastest, rounded up to a multiple of 8.
    kCDHW32 = 7,     //!< Three spatial dimensions; C packed by 32.
    kHWC = 8,        //!< C fastest, no padding.
    kDLA_LINEAR = 9, //!< Needs a DLA, which Kiln does not support; refused by name.
    kDLA_HWC4 = 10,  //!< Needs a DLA, which Kiln does not support; refused by name.
    kHWC16 = 11,     //!< C fastest, its extent rounded up to a multiple of 16.
    kDHWC = 12,      //!< Three spatial dimensions; C fastest, no padding.
};

template <>
constexpr int32_t EnumMax<TensorFormat>() noexcept {
    return 13;
}

//! The name that the older plugin interfaces use.
using PluginFormat = TensorFormat;

} // namespace nvinfer1

#pragma GCC visibility pop
