// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/padding_mode.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! How an IPoolingLayer combines the elements of a window.
enum class PoolingType : int32_t {
    kMAX = 0,               //!< The largest.
    kAVERAGE = 1,           //!< The mean.
    kMAX_AVERAGE_BLEND = 2, //!< (1 - blend) * largest + blend * mean.
};

//! Number of values of PoolingType, for loops and tables.
template <>
constexpr int32_t EnumMax<PoolingType>() noexcept {
    return 3;
}

//! Pooling over 1 to 3 spatial axes, channel by channel.
//!
//! Input 0:  [batch, channels, spatial...], kFLOAT, kHALF or kBF16.
//! Output 0: [batch, channels, spatial'...], the same type; for spatial' see PaddingMode.
//!
//! The maximum is over the input elements of a window, without padding. Dims arguments have one
//! entry for each spatial axis, outermost first.
class IPoolingLayer : public ILayer {
public:
    ~IPoolingLayer() noexcept override = default;

    //! Sets the pooling type.
    virtual void setPoolingType(PoolingType type) noexcept = 0;

    //! The pooling type.
    virtual PoolingType getPoolingType() const noexcept = 0;

    //! Sets the weight of the mean for kMAX_AVERAGE_BLEND, in [0, 1]. Default: 0.
    virtual void setBlendFactor(float blendFactor) noexcept = 0;

    //! The weight of the mean.
    virtual float getBlendFactor() const noexcept = 0;

    //! Sets the divisor of a mean: the number of input elements in the window (true), or that
    //! number including padding (false). Default: true.
    virtual void setAverageCountExcludesPadding(bool exclusive) noexcept = 0;

    //! True if the divisor of a mean excludes padding.
    virtual bool getAverageCountExcludesPadding() const noexcept = 0;

    //! Sets the padding before each spatial axis, 0 or more. Default: 0.
    virtual void setPrePadding(Dims const& padding) noexcept = 0;

    //! The padding before each spatial axis.
    virtual Dims getPrePadding() const noexcept = 0;

    //! Sets the padding after each spatial axis, 0 or more. Default: 0.
    virtual void setPostPadding(Dims const& padding) noexcept = 0;

    //! The padding after each spatial axis.
    virtual Dims getPostPadding() const noexcept = 0;

    //! Sets how padding is used. Default: kEXPLICIT_ROUND_DOWN.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;

    //! How padding is used.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    //! Sets the window extents, 1 or more.
    virtual void setWindowSizeNd(Dims const& windowSize) noexcept = 0;

    //! The window extents.
    virtual Dims getWindowSizeNd() const noexcept = 0;

    //! Sets the strides, 1 or more. Default: 1.
    virtual void setStrideNd(Dims const& stride) noexcept = 0;

    //! The strides.
    virtual Dims getStrideNd() const noexcept = 0;

    //! Sets the same padding before and after each spatial axis.
    virtual void setPaddingNd(Dims const& padding) noexcept = 0;

    //! The padding, if it is the same before and after each axis; else the padding before.
    virtual Dims getPaddingNd() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
