// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/unary_operation.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Applies a function to each element.
//!
//! Input 0: a floating-point type; kABS, kNEG and kSIGN also take kINT8, kINT32 and kINT64; kNOT
//!     accepts only kBOOL. Output 0: the same shape and type; kBOOL for kISINF and kISNAN.
class IUnaryLayer : public ILayer {
public:
    ~IUnaryLayer() noexcept override = default;

    //! Sets the function.
    virtual void setOperation(UnaryOperation op) noexcept = 0;

    //! The function.
    virtual UnaryOperation getOperation() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
