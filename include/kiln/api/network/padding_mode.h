// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How a window layer (convolution, pooling) computes the output extent of each spatial axis.
//! I: input extent. B, A: padding before and after. K: window (of a convolution: the dilated
//! kernel, 1 + dilation * (kernel - 1)). S: stride. O: output extent.
//!
//!   kEXPLICIT_ROUND_DOWN  O = floor((I + B + A - K) / S) + 1
//!   kEXPLICIT_ROUND_UP    O = ceil((I + B + A - K) / S) + 1
//!   kSAME_*               O = ceil(I / S); padding P = max((O - 1) * S + K - I, 0) is computed,
//!                         explicit padding is ignored
//!
//! Of a deconvolution, whose padding removes elements of the output:
//!
//!   kEXPLICIT_*           O = (I - 1) * S + K - (B + A)
//!   kSAME_*               O = min(I * S, (I - 1) * S + K); P = max(K - S, 0)
enum class PaddingMode : int32_t {
    kEXPLICIT_ROUND_DOWN = 0, //!< Explicit padding; an incomplete last window is dropped. Default.
    kEXPLICIT_ROUND_UP = 1,   //!< Explicit padding; an incomplete last window counts.
    //! Computed padding; an odd P adds the extra element after: B = floor(P / 2), A = P - B.
    kSAME_UPPER = 2,
    //! Computed padding; an odd P adds the extra element before: A = floor(P / 2), B = P - A.
    kSAME_LOWER = 3,
};

//! Number of values of PaddingMode, for loops and tables.
template <>
constexpr int32_t EnumMax<PaddingMode>() noexcept {
    return 4;
}

} // namespace nvinfer1
