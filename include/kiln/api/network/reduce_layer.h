// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/reduce_operation.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Reduces a tensor along some axes.
//!
//! Input 0: a floating-point type, kINT32 or kINT64. Output 0: the same type; the reduced axes have
//! extent 1 or are removed. The result over no elements is 0 (kSUM), 1 (kPROD), the lowest (kMAX)
//! or the highest (kMIN) value of the type, NaN or, for integers, 0 (kAVG).
class IReduceLayer : public ILayer {
public:
    ~IReduceLayer() noexcept override = default;

    //! Sets the operation; not ReduceOperation::kNONE.
    virtual void setOperation(ReduceOperation op) noexcept = 0;

    //! The operation.
    virtual ReduceOperation getOperation() const noexcept = 0;

    //! Sets the axes: bit i selects axis i; one bit or more.
    virtual void setReduceAxes(uint32_t reduceAxes) noexcept = 0;

    //! The axes as a bit mask.
    virtual uint32_t getReduceAxes() const noexcept = 0;

    //! Sets whether the reduced axes are kept, with extent 1.
    virtual void setKeepDimensions(bool keepDimensions) noexcept = 0;

    //! True if the reduced axes are kept.
    virtual bool getKeepDimensions() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
