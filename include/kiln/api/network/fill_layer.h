// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/network/fill_operation.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Generates values.
//!
//! Input 0 (optional): the extents of the output as a shape tensor, [rank], in place of constant
//!     ones.
//! Inputs 1 and 2 (optional): alpha and beta as tensors, in place of constant ones: alpha is a
//!     scalar; beta is [rank] for FillOperation::kLINSPACE, else a scalar.
//! Output 0: the given extents and type. kLINSPACE gives alpha + the sum of index[i] * beta[i]; a
//!     constant beta needs rank 1.
class IFillLayer : public ILayer {
public:
    ~IFillLayer() noexcept override = default;

    //! Sets the extents of the output; input 0 is dropped.
    virtual void setDimensions(Dims const& dimensions) noexcept = 0;

    //! The extents of the output. nbDims is -1 when input 0 gives them.
    virtual Dims getDimensions() const noexcept = 0;

    //! Sets what is written.
    virtual void setOperation(FillOperation op) noexcept = 0;

    //! What is written.
    virtual FillOperation getOperation() const noexcept = 0;

    //! Sets alpha: start, minimum or mean. Default: 0. Input 1 is dropped.
    virtual void setAlpha(double alpha) noexcept = 0;

    //! alpha; the latest of setAlpha() and setAlphaInt64(). Default: 0.
    virtual double getAlpha() const noexcept = 0;

    //! Sets beta: step, maximum or standard deviation. Default: 1. Input 2 is dropped.
    virtual void setBeta(double beta) noexcept = 0;

    //! beta; the latest of setBeta() and setBetaInt64(). Default: 1.
    virtual double getBeta() const noexcept = 0;

    //! As setAlpha(), exact for kINT64.
    virtual void setAlphaInt64(int64_t alpha) noexcept = 0;

    //! alpha as an integer.
    virtual int64_t getAlphaInt64() const noexcept = 0;

    //! As setBeta(), exact for kINT64.
    virtual void setBetaInt64(int64_t beta) noexcept = 0;

    //! beta as an integer.
    virtual int64_t getBetaInt64() const noexcept = 0;

    //! True if alpha or beta was last set as an integer.
    virtual bool isAlphaBetaInt64() const noexcept = 0;

    //! Sets the type of the output.
    virtual void setToType(DataType toType) noexcept = 0;

    //! The type of the output.
    virtual DataType getToType() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
