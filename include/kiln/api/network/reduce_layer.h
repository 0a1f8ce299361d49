// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/reduce_operation.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Combines all elements along some axes.
//!
//! Input 0: a floating-point type, kINT32 or kINT64. Output 0: the same type; the reduced axes have
//! extent 1 or are left out. Without elements to combine the result is 0 (kSUM), 1 (kPROD), the
//! lowest (kMAX) or the highest (kMIN) value of the type, NaN or the integer 0 (kAVG).
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

    //! Chooses whether the reduced axes stay, with extent 1.
    virtual void setKeepDimensions(bool keepDimensions) noexcept = 0;

    //! True if the reduced axes stay.
    virtual bool getKeepDimensions() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
