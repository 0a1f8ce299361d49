// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Local response normalization: x / (k + alpha / window * sum) ^ beta, where sum adds the squares
//! of `window` neighbouring channels, those outside of the tensor excepted.
//!
//! Input 0 and output 0: any shape of rank 3 or more, the same for both; kFLOAT, kHALF or kBF16.
//! The channels are dimension rank - 3: [..., channels, height, width].
class ILRNLayer : public ILayer {
public:
    ~ILRNLayer() noexcept override = default;

    //! Sets the number of channels of a sum.
    //! \param windowSize 1 or more; odd in TensorRT (1 to 15). With an even number, the window of
    //!     channel c begins at c - windowSize / 2 + 1.
    virtual void setWindowSize(int64_t windowSize) noexcept = 0;

    //! The number of channels of a sum.
    virtual int64_t getWindowSize() const noexcept = 0;

    //! Sets the factor of the sum; finite.
    virtual void setAlpha(float alpha) noexcept = 0;

    //! The factor of the sum.
    virtual float getAlpha() const noexcept = 0;

    //! Sets the exponent; finite.
    virtual void setBeta(float beta) noexcept = 0;

    //! The exponent.
    virtual float getBeta() const noexcept = 0;

    //! Sets the number that is added to the sum; finite.
    virtual void setK(float k) noexcept = 0;

    //! The number that is added to the sum.
    virtual float getK() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
