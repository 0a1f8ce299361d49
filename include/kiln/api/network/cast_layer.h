// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Converts each element to another type.
//!
//! Input 0 and output 0: any shape, the same for both. Floating point to integer truncates towards
//! zero. Conversion to kBOOL gives true unless the value is zero; from kBOOL it gives 0 or 1.
//! Conversion to a narrower floating-point type rounds to nearest, ties to even.
class ICastLayer : public ILayer {
public:
    ~ICastLayer() noexcept override = default;

    //! Sets the type of the output.
    virtual void setToType(DataType toType) noexcept = 0;

    //! The type of the output.
    virtual DataType getToType() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
