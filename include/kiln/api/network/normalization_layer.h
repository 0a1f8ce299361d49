// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/macros.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Normalizes a tensor along some axes: (x - mean) / sqrt(variance + epsilon) * scale + bias. Mean
//! and variance are those along the axes; the variance divides by the number of elements.
//!
//! Layer normalization takes the last axes, instance normalization the axes 2 .. rank - 1. Group
//! normalization takes these too, with a number of groups.
//!
//! Input 0 and output 0: any shape of rank 1 or more; kFLOAT, kHALF or kBF16. Inputs 1 (scale) and
//! 2 (bias): the same type and rank; each extent is 1, which is broadcast, or that of input 0. With
//! groups, extent 1 of both is the number of channels, or of groups if the layer is from
//! addNormalization().
class INormalizationLayer : public ILayer {
public:
    ~INormalizationLayer() noexcept override = default;

    //! Sets the number that is added to the variance: 0 or more. Default: 1e-5.
    virtual void setEpsilon(float eps) noexcept = 0;

    //! The number that is added to the variance.
    virtual float getEpsilon() const noexcept = 0;

    //! Sets the axes: bit i selects axis i; one bit or more.
    virtual void setAxes(uint32_t axesMask) noexcept = 0;

    //! The axes as a bit mask.
    virtual uint32_t getAxes() const noexcept = 0;

    //! Sets the number of groups that the channels (axis 1) are divided into; it divides their
    //! number. If it is not 1, the axes must be 2 .. rank - 1, and mean and variance are those of
    //! each group. Default: 1.
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;

    //! The number of groups.
    virtual int64_t getNbGroups() const noexcept = 0;

    //! Sets the type that mean and variance are computed in: kFLOAT (default), kHALF or kBF16.
    //! Kiln always computes them in kFLOAT, which is more exact.
    TRT_DEPRECATED virtual void setComputePrecision(DataType type) noexcept = 0;

    //! The type from setComputePrecision().
    TRT_DEPRECATED virtual DataType getComputePrecision() const noexcept = 0;

    //! True if the layer is from addNormalizationV2().
    virtual bool isV2() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
