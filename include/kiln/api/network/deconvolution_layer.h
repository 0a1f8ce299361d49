// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/padding_mode.h"
#include "kiln/api/weights.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Transposed convolution over 2 or 3 spatial axes (1 is also taken), with bias: what a convolution
//! with this kernel does to gradients.
//!
//! Input 0:  [batch, channels, spatial...], kFLOAT, kHALF or kBF16; channels divisible by groups.
//! Input 1 (optional): the kernel as a tensor, in place of kernel weights.
//! Input 2 (optional): the bias as a tensor, in place of bias weights.
//! Output 0: [batch, maps, spatial'...], type of input 0. Without padding, spatial' is
//!     (spatial - 1) * stride + dilation * (kernel - 1) + 1.
//!
//! Kernel: [channels, maps / groups, kernel...]; bias: [maps]. Channel c belongs to group
//! c / (channels / groups) and reaches only the maps of that group.
//!
//! Padding removes elements at the borders of the output. PaddingMode::kSAME_UPPER and kSAME_LOWER
//! give spatial' = spatial * stride, or less where the window is smaller than the stride.
//!
//! The caller keeps ownership of weights; they must stay valid until the engine is built. Dims
//! arguments have one entry for each spatial axis, outermost first.
class IDeconvolutionLayer : public ILayer {
public:
    ~IDeconvolutionLayer() noexcept override = default;

    //! Sets the number of output maps, 1 or more; it must match the kernel weights at build time.
    virtual void setNbOutputMaps(int64_t nbOutputMaps) noexcept = 0;

    //! The number of output maps.
    virtual int64_t getNbOutputMaps() const noexcept = 0;

    //! Sets the number of groups; it must divide channels and output maps. Default: 1.
    virtual void setNbGroups(int64_t nbGroups) noexcept = 0;

    //! The number of groups.
    virtual int64_t getNbGroups() const noexcept = 0;

    //! Sets the kernel: channels * maps / groups * kernel elements, in row-major order.
    virtual void setKernelWeights(Weights weights) noexcept = 0;

    //! The kernel; it points to the caller's memory.
    virtual Weights getKernelWeights() const noexcept = 0;

    //! Sets the bias: one element for each output map, or none (count 0).
    virtual void setBiasWeights(Weights weights) noexcept = 0;

    //! The bias; it points to the caller's memory. Count 0 means no bias.
    virtual Weights getBiasWeights() const noexcept = 0;

    //! Sets the elements to remove at the beginning of each spatial axis, 0 or more. Default: 0.
    virtual void setPrePadding(Dims const& padding) noexcept = 0;

    //! The elements to remove at the beginning of each spatial axis.
    virtual Dims getPrePadding() const noexcept = 0;

    //! Sets the elements to remove at the end of each spatial axis, 0 or more. Default: 0.
    virtual void setPostPadding(Dims const& padding) noexcept = 0;

    //! The elements to remove at the end of each spatial axis.
    virtual Dims getPostPadding() const noexcept = 0;

    //! Sets how padding is used. Default: kEXPLICIT_ROUND_DOWN.
    virtual void setPaddingMode(PaddingMode paddingMode) noexcept = 0;

    //! How padding is used.
    virtual PaddingMode getPaddingMode() const noexcept = 0;

    //! Sets the kernel extents, 1 or more; they must match the kernel weights at build time.
    virtual void setKernelSizeNd(Dims const& kernelSize) noexcept = 0;

    //! The kernel extents.
    virtual Dims getKernelSizeNd() const noexcept = 0;

    //! Sets the strides, 1 or more. Default: 1.
    virtual void setStrideNd(Dims const& stride) noexcept = 0;

    //! The strides.
    virtual Dims getStrideNd() const noexcept = 0;

    //! Sets the same padding at the beginning and at the end of each spatial axis.
    virtual void setPaddingNd(Dims const& padding) noexcept = 0;

    //! The padding, if it is the same at both ends of each axis; else that at the beginning.
    virtual Dims getPaddingNd() const noexcept = 0;

    //! Sets the distance between kernel elements, 1 or more. Default: 1.
    virtual void setDilationNd(Dims const& dilation) noexcept = 0;

    //! The distance between kernel elements.
    virtual Dims getDilationNd() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
