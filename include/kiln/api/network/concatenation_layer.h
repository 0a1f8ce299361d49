// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Concatenates its inputs along one axis.
//!
//! Inputs: one or more, all with the same rank (1 or more), type and extents, except for the
//! concatenation axis. Output 0: the same type and extents; along the concatenation axis, the sum.
class IConcatenationLayer : public ILayer {
public:
    ~IConcatenationLayer() noexcept override = default;

    //! Sets the concatenation axis, 0 .. rank - 1. Default: max(rank - 3, 0).
    virtual void setAxis(int32_t axis) noexcept = 0;

    //! The concatenation axis.
    virtual int32_t getAxis() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
