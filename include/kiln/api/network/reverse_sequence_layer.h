// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Reverses the beginning of each sequence and copies the rest.
//!
//! Input 0:  any type, rank r of 2 or more.
//! Input 1:  the lengths, [extent of the batch axis], kINT32 or kINT64. Lengths below 0 count as 0,
//!     lengths above the extent of the sequence axis as that extent.
//! Output 0: type and extents of input 0. At batch b and position s, it is the input at position
//!     lengths[b] - 1 - s if s < lengths[b], else at s.
class IReverseSequenceLayer : public ILayer {
public:
    ~IReverseSequenceLayer() noexcept override = default;

    //! Sets the axis that the lengths go with, -r .. r - 1; not the sequence axis. Default: 1.
    virtual void setBatchAxis(int32_t batchAxis) noexcept = 0;

    //! The axis that the lengths go with.
    virtual int32_t getBatchAxis() const noexcept = 0;

    //! Sets the axis that is reversed, -r .. r - 1. Default: 0.
    virtual void setSequenceAxis(int32_t sequenceAxis) noexcept = 0;

    //! The axis that is reversed.
    virtual int32_t getSequenceAxis() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
