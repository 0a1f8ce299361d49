// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/gather_mode.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Gathers elements of a tensor by index.
//!
//! Input 0:  the data, any type, rank r of 1 or more.
//! Input 1:  the indices, kINT32 or kINT64, rank q. A negative index counts from the end of its
//!     axis. An index out of range gives zeros.
//! Output 0: type of the data. With axis a and s = getNbElementWiseDims():
//!     kDEFAULT: data extents before a, then those of the indices without the first s, then the
//!         data extents after a. out[i.., j.., k..] = data[i.., indices[i[:s].., j..], k..].
//!     kELEMENT: the extents of the indices, which have rank r; output element p is data at p, with
//!         coordinate a replaced by indices[p].
//!     kND: with n the last extent of the indices, known at build time: the extents of the indices
//!         without the last, then the data extents from s + n on. The first s extents of data and
//!         indices are equal.
class IGatherLayer : public ILayer {
public:
    ~IGatherLayer() noexcept override = default;

    //! Sets the gather axis, 0 .. r - 1; kND ignores it. Default: the argument of addGather().
    virtual void setGatherAxis(int32_t axis) noexcept = 0;

    //! The gather axis.
    virtual int32_t getGatherAxis() const noexcept = 0;

    //! Sets the number of leading batch axes of data and indices: for kDEFAULT 0 or 1, at most the
    //! axis; for kND less than min(q, r); kELEMENT ignores it. Default: 0.
    virtual void setNbElementWiseDims(int32_t elementWiseDims) noexcept = 0;

    //! The number of leading batch axes of data and indices.
    virtual int32_t getNbElementWiseDims() const noexcept = 0;

    //! Sets the gather mode.
    virtual void setMode(GatherMode mode) noexcept = 0;

    //! The gather mode.
    virtual GatherMode getMode() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
