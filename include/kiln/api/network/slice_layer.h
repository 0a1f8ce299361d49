// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/sample_mode.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Takes start, start + stride, ... along each axis.
//!
//! Input 0:  any shape and type.
//! Inputs 1, 2, 3 (optional): start, size and stride as shape tensors, [number of axes], kINT32 or
//!     kINT64, in place of constant ones; set them with setInput().
//! Input 4 (optional): the fill value of SampleMode::kFILL, one element of the type of input 0.
//! Input 5 (optional): the axes as a tensor of constants, in place of setAxes().
//! Output 0: type of input 0; along the sliced axes the extents `size`, else those of input 0.
//!
//! Dims arguments have one entry for each of the axes, which are all of them unless setAxes() was
//! called. A stride may be negative. With SampleMode::kSTRICT_BOUNDS all elements read lie in
//! the input.
class ISliceLayer : public ILayer {
public:
    ~ISliceLayer() noexcept override = default;

    //! Sets the first coordinates; input 1 is dropped.
    virtual void setStart(Dims const& start) noexcept = 0;

    //! The first coordinates. nbDims is -1 when input 1 gives them.
    virtual Dims getStart() const noexcept = 0;

    //! Sets the extents of the output, 0 or more; input 2 is dropped.
    virtual void setSize(Dims const& size) noexcept = 0;

    //! The extents of the output. nbDims is -1 when input 2 gives them.
    virtual Dims getSize() const noexcept = 0;

    //! Sets the steps; input 3 is dropped.
    virtual void setStride(Dims const& stride) noexcept = 0;

    //! The steps. nbDims is -1 when input 3 gives them.
    virtual Dims getStride() const noexcept = 0;

    //! Sets what is read outside the input. Default: kSTRICT_BOUNDS.
    virtual void setMode(SampleMode mode) noexcept = 0;

    //! What is read outside the input.
    virtual SampleMode getMode() const noexcept = 0;

    //! Sets the axes that are sliced, each once; negative ones count from the end. Input 5 is
    //! dropped. Default: all of them, in order.
    virtual void setAxes(Dims const& axes) noexcept = 0;

    //! The axes that are sliced. nbDims is -1 when they are all of them or input 5 gives them.
    virtual Dims getAxes() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
