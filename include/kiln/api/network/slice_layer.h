// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/sample_mode.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Extracts the elements start, start + stride, ... along each axis.
//!
//! Input 0:  any shape and type.
//! Inputs 1, 2, 3 (optional): start, size and stride as shape tensors, [number of axes], kINT32 or
//!     kINT64, instead of constants; set them with setInput().
//! Input 4 (optional): the fill value of SampleMode::kFILL, one element of the type of input 0.
//! Input 5 (optional): the axes as a constant tensor, instead of setAxes().
//! Output 0: type of input 0; along the sliced axes the extents `size`, else those of input 0.
//!
//! Dims arguments have one entry for each sliced axis: all axes, unless setAxes() was called.
//! Strides may be negative. With SampleMode::kSTRICT_BOUNDS, reading outside the input is an error.
class ISliceLayer : public ILayer {
public:
    ~ISliceLayer() noexcept override = default;

    //! Sets the first coordinates and removes input 1.
    virtual void setStart(Dims const& start) noexcept = 0;

    //! The first coordinates. nbDims is -1 if input 1 supplies them.
    virtual Dims getStart() const noexcept = 0;

    //! Sets the extents of the output, 0 or more, and removes input 2.
    virtual void setSize(Dims const& size) noexcept = 0;

    //! The extents of the output. nbDims is -1 if input 2 supplies them.
    virtual Dims getSize() const noexcept = 0;

    //! Sets the strides and removes input 3.
    virtual void setStride(Dims const& stride) noexcept = 0;

    //! The strides. nbDims is -1 if input 3 supplies them.
    virtual Dims getStride() const noexcept = 0;

    //! Sets the mode for elements outside the input. Default: kSTRICT_BOUNDS.
    virtual void setMode(SampleMode mode) noexcept = 0;

    //! The mode for elements outside the input.
    virtual SampleMode getMode() const noexcept = 0;

    //! Sets the sliced axes, without duplicates, and removes input 5. Negative axes count from the
    //! end. Default: all axes, in order.
    virtual void setAxes(Dims const& axes) noexcept = 0;

    //! The sliced axes. nbDims is -1 for the default or if input 5 supplies them.
    virtual Dims getAxes() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
