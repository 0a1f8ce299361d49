// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/gather_mode.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Picks elements of a tensor by index.
//!
//! Input 0:  the data, any type, rank r of 1 or more.
//! Input 1:  the indices, kINT32 or kINT64, rank q. A negative index counts from the end of its
//!     axis. An index outside of the axis gives zeros.
//! Output 0: type of the data. With axis a and s = getNbElementWiseDims():
//!     kDEFAULT: data extents before a, then those of the indices without the first s, then the
//!         data extents behind a. out[i.., j.., k..] = data[i.., indices[i[:s].., j..], k..].
//!     kELEMENT: the extents of the indices, which have rank r; output element p is data at p, with
//!         coordinate a replaced by indices[p].
//!     kND: with n the last extent of the indices, known at build: the extents of the indices
//!         without the last, then the data extents from s + n on. The first s extents of data and
//!         indices are equal.
class IGatherLayer : public ILayer {
public:
    ~IGatherLayer() noexcept override = default;

    //! Sets the axis to gather on, 0 .. r - 1; kND ignores it. Default: what addGather() was given.
    virtual void setGatherAxis(int32_t axis) noexcept = 0;

    //! The axis to gather on.
    virtual int32_t getGatherAxis() const noexcept = 0;

    //! Sets how many leading axes data and indices share: 0 or 1 (and not above the axis) in
    //! kDEFAULT, below min(q, r) in kND; kELEMENT ignores it. Default: 0.
    virtual void setNbElementWiseDims(int32_t elementWiseDims) noexcept = 0;

    //! How many leading axes data and indices share.
    virtual int32_t getNbElementWiseDims() const noexcept = 0;

    //! Sets how indices are read.
    virtual void setMode(GatherMode mode) noexcept = 0;

    //! How indices are read.
    virtual GatherMode getMode() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
