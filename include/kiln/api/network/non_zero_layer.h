// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Finds the elements that are not zero.
//!
//! Input 0: any type, of rank 1 or more. Output 0: [rank, count], the indices of the elements along
//!     each axis, in row-major order of the elements. count is known after the layer ran.
class INonZeroLayer : public ILayer {
public:
    ~INonZeroLayer() noexcept override = default;

    //! Sets the type of the indices. \return false unless it is kINT32 or kINT64.
    virtual bool setIndicesType(DataType type) noexcept = 0;

    //! The type of the indices.
    virtual DataType getIndicesType() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
