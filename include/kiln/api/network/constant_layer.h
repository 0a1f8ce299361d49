// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/weights.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A tensor whose values are part of the network.
//!
//! No input. Output 0: the given dimensions and the type of the weights.
class IConstantLayer : public ILayer {
public:
    ~IConstantLayer() noexcept override = default;

    //! Replaces the values.
    //! \param weights as many elements as the dimensions have, in row-major order. The caller keeps
    //!     ownership; the memory must stay valid until the engine is built.
    virtual void setWeights(Weights weights) noexcept = 0;

    //! The values; they point to the caller's memory.
    virtual Weights getWeights() const noexcept = 0;

    //! Replaces the dimensions of the output. All extents must be 0 or more.
    virtual void setDimensions(Dims const& dimensions) noexcept = 0;

    //! The dimensions of the output.
    virtual Dims getDimensions() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
