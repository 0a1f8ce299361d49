// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Softmax along one axis: exp(x - max) / sum(exp(x - max)), max and sum along the axis.
//!
//! Input 0 and output 0: any shape of rank 1 or more, the same for both; kFLOAT, kHALF or kBF16.
class ISoftMaxLayer : public ILayer {
public:
    ~ISoftMaxLayer() noexcept override = default;

    //! Sets the axis.
    //! \param axes bit mask with one bit: bit i selects dimension i. Default: bit
    //!     max(rank - 3, 0).
    virtual void setAxes(uint32_t axes) noexcept = 0;

    //! The bit mask of the axis.
    virtual uint32_t getAxes() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
