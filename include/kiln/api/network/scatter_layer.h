// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/scatter_mode.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Copies a tensor and replaces elements by index.
//!
//! Input 0:  the data, any type, rank r of 1 or more.
//! Input 1:  the indices, kINT32 or kINT64, rank q of 1 or more. A negative index counts from the
//!     end of its axis. Updates whose index is out of range are left out.
//! Input 2:  the updates, type of the data.
//! Output 0: type and extents of the data:
//!     kELEMENT: indices and updates have the same extents and rank r. Element p of the updates
//!         replaces the data at p, with coordinate getAxis() replaced by indices[p]. Along the
//!         other axes, the indices may have at most the extents of the data.
//!     kND: with n the last extent of the indices, known at build time and at most r, the updates
//!         have the extents of the indices without the last, then the data extents from n on.
//!         Slice p of the updates replaces the data at the coordinates indices[p][0 .. n - 1].
//!
//! If several updates replace the same element, the result is one of them; which one is not
//! specified.
class IScatterLayer : public ILayer {
public:
    ~IScatterLayer() noexcept override = default;

    //! Sets the mode.
    virtual void setMode(ScatterMode mode) noexcept = 0;

    //! The mode.
    virtual ScatterMode getMode() const noexcept = 0;

    //! Sets the axis of kELEMENT, -r .. r - 1; kND ignores it. Negative axes count from the end.
    //! Default: 0.
    virtual void setAxis(int32_t axis) noexcept = 0;

    //! The axis of kELEMENT.
    virtual int32_t getAxis() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
