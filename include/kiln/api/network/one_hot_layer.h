// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! One-hot encoding: an axis is inserted, along which all elements are values[0] but the one at
//! the index, which is values[1].
//!
//! Input 0: indices of any shape; kINT32 or kINT64. An index below 0 counts from the end; other
//! indices out of range set no element. Input 1: values, [2], of any type. Input 2: depth, the
//! extent of the new axis, a shape tensor of rank 0 (or of one element); kINT32 or kINT64.
//! Output 0: rank of the indices + 1; the type of the values.
class IOneHotLayer : public ILayer {
public:
    ~IOneHotLayer() noexcept override = default;

    //! Sets the position of the new axis in the output: -rank - 1 .. rank, where rank is that of
    //! the indices. A negative number counts from the end.
    virtual void setAxis(int32_t axis) noexcept = 0;

    //! The position of the new axis in the output.
    virtual int32_t getAxis() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
