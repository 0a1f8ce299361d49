// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Function that an IActivationLayer applies to each element x. alpha and beta are parameters of
//! the layer; some functions do not use them.
enum class ActivationType : int32_t {
    kRELU = 0,              //!< max(x, 0).
    kSIGMOID = 1,           //!< 1 / (1 + exp(-x)).
    kTANH = 2,              //!< tanh(x).
    kLEAKY_RELU = 3,        //!< x if x >= 0, else alpha * x.
    kELU = 4,               //!< x if x >= 0, else alpha * (exp(x) - 1).
    kSELU = 5,              //!< beta * x if x > 0, else beta * (alpha * exp(x) - alpha).
    kSOFTSIGN = 6,          //!< x / (1 + |x|).
    kSOFTPLUS = 7,          //!< alpha * log(exp(beta * x) + 1).
    kCLIP = 8,              //!< max(alpha, min(beta, x)).
    kHARD_SIGMOID = 9,      //!< max(0, min(1, alpha * x + beta)).
    kSCALED_TANH = 10,      //!< alpha * tanh(beta * x).
    kTHRESHOLDED_RELU = 11, //!< x if x > alpha, else 0.
    kGELU_ERF = 12,         //!< x / 2 * (1 + erf(x / sqrt(2))).
    kGELU_TANH = 13,        //!< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ^ 3))).
};

//! Number of values of ActivationType, for loops and tables.
template <>
constexpr int32_t EnumMax<ActivationType>() noexcept {
    return 14;
}

//! Applies a function to each element.
//!
//! Input 0 and output 0: any shape, the same for both; kFLOAT, kHALF or kBF16. kRELU and kCLIP also
//! accept integers.
class IActivationLayer : public ILayer {
public:
    ~IActivationLayer() noexcept override = default;

    //! Sets the function. alpha and beta keep their values.
    virtual void setActivationType(ActivationType type) noexcept = 0;

    //! The function.
    virtual ActivationType getActivationType() const noexcept = 0;

    //! Sets the parameter alpha; it must be finite. Default: 0; of a layer that was added as kSELU
    //! 1.6732632.
    virtual void setAlpha(float alpha) noexcept = 0;

    //! Sets the parameter beta; it must be finite. Default: 0; of a layer that was added as kSELU
    //! 1.0507010.
    virtual void setBeta(float beta) noexcept = 0;

    //! The parameter alpha.
    virtual float getAlpha() const noexcept = 0;

    //! The parameter beta.
    virtual float getBeta() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
