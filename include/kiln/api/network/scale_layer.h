// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/scale_mode.h"
#include "kiln/api/weights.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! (x * scale + shift) ^ power, with coefficients that are weights.
//!
//! Input 0 and output 0: any shape, the same for both; kFLOAT, kHALF or kBF16. In mode
//! kCHANNEL the rank is at least channel axis + 1.
//! Weights of count 0 mean: shift 0, scale 1, power 1. Else their count is 1 (kUNIFORM), the extent
//! of the channel axis (kCHANNEL), or the product of the extents behind the batch, axis 0 to
//! channel axis - 1 (kELEMENTWISE). The values are not copied: they stay valid until the engine is
//! built.
class IScaleLayer : public ILayer {
public:
    ~IScaleLayer() noexcept override = default;

    //! Sets which elements share a coefficient.
    virtual void setMode(ScaleMode mode) noexcept = 0;

    //! Which elements share a coefficient.
    virtual ScaleMode getMode() const noexcept = 0;

    //! Sets what is added to the scaled elements; count 0 means 0.
    virtual void setShift(Weights shift) noexcept = 0;

    //! What is added to the scaled elements.
    virtual Weights getShift() const noexcept = 0;

    //! Sets the factor; count 0 means 1.
    virtual void setScale(Weights scale) noexcept = 0;

    //! The factor.
    virtual Weights getScale() const noexcept = 0;

    //! Sets the exponent; count 0 means 1.
    virtual void setPower(Weights power) noexcept = 0;

    //! The exponent.
    virtual Weights getPower() const noexcept = 0;

    //! The axis that coefficients of kCHANNEL belong to, and where those of kELEMENTWISE begin;
    //! default: 1.
    virtual int32_t getChannelAxis() const noexcept = 0;

    //! Sets the channel axis: 0 .. rank - 1.
    virtual void setChannelAxis(int32_t channelAxis) noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
