// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/cumulative_operation.h"
#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Running sums along one axis.
//!
//! Input 0:  any shape of rank 1 or more; kFLOAT, kHALF, kBF16, kINT32 or kINT64.
//! Input 1:  the axis, a constant scalar, kINT32 or kINT64, -rank .. rank - 1.
//! Output 0: type and extents of input 0. kHALF and kBF16 are summed in kFLOAT; integers wrap
//!     around.
class ICumulativeLayer : public ILayer {
public:
    ~ICumulativeLayer() noexcept override = default;

    //! Sets the operation. \return false if the value is unknown.
    virtual bool setOperation(CumulativeOperation op) noexcept = 0;

    //! The operation.
    virtual CumulativeOperation getOperation() const noexcept = 0;

    //! Sets whether an element is left out of its own sum; the first sum is then 0.
    virtual void setExclusive(bool exclusive) noexcept = 0;

    //! Whether an element is left out of its own sum.
    virtual bool getExclusive() const noexcept = 0;

    //! Sets whether the sums start at the end of the axis.
    virtual void setReverse(bool reverse) noexcept = 0;

    //! Whether the sums start at the end of the axis.
    virtual bool getReverse() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
