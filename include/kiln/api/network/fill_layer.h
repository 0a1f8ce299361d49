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
//! Input 0 (optional): the extents of the output as a shape tensor, [rank], instead of constants.
//! Inputs 1 and 2 (optional): alpha and beta as tensors, instead of constants: alpha is a scalar;
//!     beta is [rank] for FillOperation::kLINSPACE, else a scalar.
//! Output 0: the given extents and type. kLINSPACE computes alpha + the sum of index[i] * beta[i];
//!     with a constant beta the rank must be 1.
class IFillLayer : public ILayer {
public:
    ~IFillLayer() noexcept override = default;

    //! Sets the extents of the output and removes input 0.
    virtual void setDimensions(Dims const& dimensions) noexcept = 0;

    //! The extents of the output. nbDims is -1 if input 0 supplies them.
    virtual Dims getDimensions() const noexcept = 0;

    //! Sets the operation.
    virtual void setOperation(FillOperation op) noexcept = 0;

    //! The operation.
    virtual FillOperation getOperation() const noexcept = 0;

    //! Sets alpha (start, minimum or mean) and removes input 1. Default: 0.
    virtual void setAlpha(double alpha) noexcept = 0;

    //! alpha, as set last by setAlpha() or setAlphaInt64(). Default: 0.
    virtual double getAlpha() const noexcept = 0;

    //! Sets beta (step, maximum or standard deviation) and removes input 2. Default: 1.
    virtual void setBeta(double beta) noexcept = 0;

    //! beta, as set last by setBeta() or setBetaInt64(). Default: 1.
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
