// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Einstein summation: products of elements whose axes have names, summed over the axes that the
//! output does not name.
//!
//! Inputs:   1 or more of kFLOAT, kHALF, kBF16, kINT32 or kINT64, all of one type. Each letter is
//!     an axis; axes of one letter have the same extent, or 1, which is broadcast.
//! Output 0: the same type, one axis for each letter behind the arrow.
//!
//! Equations: the letters of the inputs separated by commas, then "->" and the letters of the
//! output, such as "bij,bjk->bik". Without an arrow, the output has the letters that occur once, in
//! alphabetical order. "..." stands for the axes of an input that have no letter. Spaces mean
//! nothing. A letter that occurs twice in one input takes the diagonal of these axes.
//! Source: numpy.einsum, ONNX Einsum-12.
class IEinsumLayer : public ILayer {
public:
    ~IEinsumLayer() noexcept override = default;

    //! Sets the equation.
    //! \param equation null-terminated, copied.
    //! \return false, with an error and no change, if it is not a valid equation.
    virtual bool setEquation(char const* equation) noexcept = 0;

    //! The equation; never null. Valid until it is set again or the network is destroyed.
    virtual char const* getEquation() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
