// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/resize_enums.h"
#include "kiln/api/network/sample_mode.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Samples images at the coordinates of a grid.
//!
//! Input 0:  [batch, channels, height, width], kFLOAT, kHALF or kBF16.
//! Input 1:  the grid, [batch, height', width', 2], the same type. The last axis holds x and y: -1
//!     and 1 are the borders of the image along width and height.
//! Output 0: [batch, channels, height', width'], the same type.
//!
//! Source: ONNX GridSample-16, torch.nn.functional.grid_sample.
class IGridSampleLayer : public ILayer {
public:
    ~IGridSampleLayer() noexcept override = default;

    //! Sets the interpolation; kNEAREST rounds half to even, and kCUBIC has a coefficient of -0.75.
    //! Default: kLINEAR.
    virtual void setInterpolationMode(InterpolationMode mode) noexcept = 0;

    //! The interpolation.
    virtual InterpolationMode getInterpolationMode() const noexcept = 0;

    //! Sets what -1 and 1 mean: the centres of the border elements (true), or their outer edges
    //! (false, the default).
    virtual void setAlignCorners(bool alignCorners) noexcept = 0;

    //! True if -1 and 1 are the centres of the border elements.
    virtual bool getAlignCorners() const noexcept = 0;

    //! Sets what is read outside of the image. Default: kFILL.
    //! \param mode kFILL (zeros), kCLAMP, or kREFLECT (at the borders, see setAlignCorners()).
    //! \return false, with an error and no change, for other modes.
    virtual bool setSampleMode(SampleMode mode) noexcept = 0;

    //! What is read outside of the image.
    virtual SampleMode getSampleMode() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
