// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/moe_act_type.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Mixture of experts: each token passes through the experts selected for it; the results are
//! added, weighted by scores.
//!
//! Each expert is a gated linear unit: down(activation(gate(x)) * up(x)), where gate, up and down
//! are matrix products with optional biases. With SwiGLU parameters and MoEActType::kSILU,
//! g = min(gate(x), limit) and u = max(min(up(x), limit), -limit) give
//! down(g * sigmoid(alpha * g) * (u + beta)).
//!
//! Input 0, hidden states:     [batch, sequence, hidden]; kFLOAT, kHALF or kBF16.
//! Input 1, selected experts:  [batch, sequence, k]; kINT32 or kINT64, 0 .. experts - 1. An expert
//!     outside of this range adds nothing.
//! Input 2, scores:            [batch, sequence, k]; type of input 0.
//! Inputs 3 (gate), 4 (up):    weights, [experts, hidden, inner]; type of input 0.
//! Input 5 (down):             weights, [experts, inner, hidden]; type of input 0.
//! Inputs 6 (gate), 7 (up):    biases (optional), [experts, inner]; type of input 0.
//! Input 8 (down):             biases (optional), [experts, hidden]; type of input 0.
//! Inputs 9, 10:               scales of setQuantizationStatic(), setQuantizationDynamicDblQ().
//! Output 0: shape and type of input 0.
//!
//! Quantization rounds what `down` reads; the products multiply numbers of the type of input 0.
class IMoELayer : public ILayer {
public:
    ~IMoELayer() noexcept override = default;

    //! Sets inputs 3, 4 and 5 and the activation. A layer without weights does not build.
    virtual void setGatedWeights(ITensor& fcGateWeights, ITensor& fcUpWeights,
                                 ITensor& fcDownWeights, MoEActType activationType) noexcept = 0;

    //! Sets inputs 6, 7 and 8.
    virtual void setGatedBiases(ITensor& fcGateBiases, ITensor& fcUpBiases,
                                ITensor& fcDownBiases) noexcept = 0;

    //! Sets the activation. Default: kNONE.
    virtual void setActivationType(MoEActType activationType) noexcept = 0;

    //! The activation.
    virtual MoEActType getActivationType() const noexcept = 0;

    //! Quantizes the input of `down` with given scales: input 9, a scalar or [experts].
    //! \param dataType kFP8 or kINT8.
    virtual void setQuantizationStatic(ITensor& fcDownActivationScale,
                                       DataType dataType) noexcept = 0;

    //! Quantizes the input of `down` with scales of blocks, which each run computes: the largest
    //! magnitude, divided by the largest number of the type and by the factor (input 10), and
    //! rounded to the type of scales.
    //! \param fcDownActivationDblQScale The factor, one number.
    //! \param dataType kFP4, kFP8, kINT8 or kINT4.
    //! \param blockShape Ones, then the length of a block along the last axis: [1, 1, 16].
    //! \param dynQOutputScaleType kFP8, kE8M0 or a floating-point type.
    virtual void setQuantizationDynamicDblQ(ITensor& fcDownActivationDblQScale, DataType dataType,
                                            Dims const& blockShape,
                                            DataType dynQOutputScaleType) noexcept = 0;

    //! Sets the type that the input of `down` is quantized to. Default: kFLOAT, which means none.
    virtual void setQuantizationToType(DataType type) noexcept = 0;

    //! The type that the input of `down` is quantized to.
    virtual DataType getQuantizationToType() const noexcept = 0;

    //! Sets the extents of a block that shares a scale.
    virtual void setQuantizationBlockShape(Dims const& blockShape) noexcept = 0;

    //! The extents of a block that shares a scale. Default: nbDims is 0.
    virtual Dims getQuantizationBlockShape() const noexcept = 0;

    //! Sets the type of the scales of blocks. Default: kFLOAT.
    virtual void setDynQOutputScaleType(DataType type) noexcept = 0;

    //! The type of the scales of blocks.
    virtual DataType getDynQOutputScaleType() const noexcept = 0;

    //! Sets the three SwiGLU parameters. Defaults: infinity, 1 and 0.
    virtual void setSwigluParams(float limit, float alpha, float beta) noexcept = 0;

    //! Sets the bound of gate and up; not NaN. Default: infinity.
    virtual void setSwigluParamLimit(float limit) noexcept = 0;

    //! The bound of gate and up.
    virtual float getSwigluParamLimit() const noexcept = 0;

    //! Sets the factor in the sigmoid; finite. Default: 1.
    virtual void setSwigluParamAlpha(float alpha) noexcept = 0;

    //! The factor in the sigmoid.
    virtual float getSwigluParamAlpha() const noexcept = 0;

    //! Sets the number that is added to up; finite. Default: 0.
    virtual void setSwigluParamBeta(float beta) noexcept = 0;

    //! The number that is added to up.
    virtual float getSwigluParamBeta() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
