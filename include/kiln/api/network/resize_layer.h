// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/resize_enums.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Resizes axes of a tensor by interpolation.
//!
//! Input 0:  any shape of rank 1 or more. kNEAREST: any type. kLINEAR and kCUBIC: kFLOAT, kHALF,
//!     kBF16 or kINT8.
//! Input 1 (optional): the extents of the output as a shape tensor, [rank], kINT32 or kINT64,
//!     instead of constants; set it with setInput().
//! Output 0: rank and type of input 0. The extents are those that were set, or
//!     floor(extent * scale) for each axis.
//!
//! kNEAREST may resize all axes, kLINEAR the last 3 and kCUBIC the last 2; all other axes keep
//! their extents. Dimensions, scales and input 1 replace each other: the last one set counts.
//! Source: ONNX Resize-13.
class IResizeLayer : public ILayer {
public:
    ~IResizeLayer() noexcept override = default;

    //! Sets the extents of the output, one for each axis, 0 or more, and removes scales and
    //! input 1. Coordinates are then scaled by output extent / input extent.
    virtual void setOutputDimensions(Dims const& dimensions) noexcept = 0;

    //! The extents that were set. nbDims is -1 if scales or input 1 determine them.
    virtual Dims getOutputDimensions() const noexcept = 0;

    //! Sets scales and removes output dimensions and input 1. Coordinates are then scaled by these
    //! numbers, also where an extent was rounded.
    //! \param scales nbScales finite numbers above 0, copied: one for each axis.
    //! \param nbScales the rank of input 0.
    virtual void setScales(float const* scales, int32_t nbScales) noexcept = 0;

    //! The number of scales that were set; -1 if there are none.
    //! \param size number of elements of `scales`. Nothing is written unless it is the result.
    //! \param scales receives the scales; may be null.
    virtual int32_t getScales(int32_t size, float* scales) const noexcept = 0;

    //! Sets the interpolation. Default: kNEAREST.
    virtual void setResizeMode(InterpolationMode interpolationMode) noexcept = 0;

    //! The interpolation.
    virtual InterpolationMode getResizeMode() const noexcept = 0;

    //! Sets how output indices become input coordinates. Default: kASYMMETRIC.
    virtual void setCoordinateTransformation(
        ResizeCoordinateTransformation coordTransform) noexcept = 0;

    //! How output indices become input coordinates.
    virtual ResizeCoordinateTransformation getCoordinateTransformation() const noexcept = 0;

    //! Sets the coordinate for axes whose output has a single element. Default: kFORMULA.
    virtual void setSelectorForSinglePixel(ResizeSelector selector) noexcept = 0;

    //! The coordinate for axes whose output has a single element.
    virtual ResizeSelector getSelectorForSinglePixel() const noexcept = 0;

    //! Sets the rounding of coordinates for kNEAREST. Default: kFLOOR.
    virtual void setNearestRounding(ResizeRoundMode value) noexcept = 0;

    //! The rounding of coordinates for kNEAREST.
    virtual ResizeRoundMode getNearestRounding() const noexcept = 0;

    //! Sets the coefficient of cubic convolution, finite: the slope of the kernel at distance 1.
    //! Default: -0.75.
    virtual void setCubicCoeff(float A) noexcept = 0;

    //! The coefficient of cubic convolution.
    virtual float getCubicCoeff() const noexcept = 0;

    //! Sets what kCUBIC takes for samples outside of the input: nothing, and the weights of the
    //! others are scaled to a sum of 1 (true), or the nearest border sample (false, the default).
    virtual void setExcludeOutside(bool excludeFlag) noexcept = 0;

    //! True if samples outside of the input are excluded.
    virtual bool getExcludeOutside() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
