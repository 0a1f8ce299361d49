// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights: an array of constants for a layer.
#pragma once

#include "kiln/api/data_type.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A non-owning view of an array of constants.
//!
//! Values passed to a network must stay valid and unchanged until the engine is built; values
//! passed to an IRefitter, until the refit has completed.
class Weights {
public:
    //! The type of the elements.
    DataType type;

    //! The elements, in row-major order; nullptr with count 0 means no weights. Host memory, unless
    //! the function that takes them has a TensorLocation. Naturally aligned for the type.
    void const* values;

    //! The number of elements, not of bytes.
    int64_t count;
};

//! The role of weights in a layer.
enum class WeightsRole : int32_t {
    kKERNEL = 0,   //!< The kernel of a convolution or deconvolution.
    kBIAS = 1,     //!< The bias of a convolution or deconvolution.
    kSHIFT = 2,    //!< The shift of a scale layer.
    kSCALE = 3,    //!< The scale of a scale layer.
    kCONSTANT = 4, //!< The values of a constant layer.
    kANY = 5,      //!< Any other; also weights identified only by name.
};

template <>
constexpr int32_t EnumMax<WeightsRole>() noexcept {
    return 6;
}

} // namespace nvinfer1

#pragma GCC visibility pop
