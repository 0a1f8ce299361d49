// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Zeros around the last two axes. A negative padding cuts elements off.
//!
//! Input 0: rank 3 or more, any type that a slice takes. Output 0: the same type, with the last two
//! extents changed by the paddings.
class IPaddingLayer : public ILayer {
public:
    ~IPaddingLayer() noexcept override = default;

    //! Sets the padding in front of the last two axes: [height, width], in elements.
    virtual void setPrePaddingNd(Dims const& padding) noexcept = 0;

    //! The padding in front of the last two axes.
    virtual Dims getPrePaddingNd() const noexcept = 0;

    //! Sets the padding behind the last two axes: [height, width], in elements.
    virtual void setPostPaddingNd(Dims const& padding) noexcept = 0;

    //! The padding behind the last two axes.
    virtual Dims getPostPaddingNd() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
