// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions over extents. Plugins use them to define their output shapes as functions of the
// input shapes.
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Operations on two extents, in 64-bit integer arithmetic.
enum class DimensionOperation : int32_t {
    kSUM = 0,       //!< first + second
    kPROD = 1,      //!< first * second
    kMAX = 2,       //!< the larger
    kMIN = 3,       //!< the smaller
    kSUB = 4,       //!< first - second
    kEQUAL = 5,     //!< 1 if first == second, else 0
    kLESS = 6,      //!< 1 if first < second, else 0
    kFLOOR_DIV = 7, //!< first / second, rounded towards minus infinity
    kCEIL_DIV = 8,  //!< first / second, rounded towards plus infinity
};

template <>
constexpr int32_t EnumMax<DimensionOperation>() noexcept {
    return 9;
}

//! An extent that may depend on the shapes of inputs. Implemented by Kiln, immutable, owned by the
//! IExprBuilder or network that created it.
class IDimensionExpr : public INoCopy {
public:
    //! True if the value is known at build time.
    virtual bool isConstant() const noexcept = 0;

    //! The value if isConstant(), else the lowest int64_t, which is not a valid extent.
    virtual int64_t getConstantValue() const noexcept = 0;

    //! True if the extent is the value of a size tensor, created by declareSizeTensor(). It is
    //! known only after the layer has run.
    virtual bool isSizeTensor() const noexcept = 0;

protected:
    ~IDimensionExpr() noexcept override = default;
};

//! A shape whose extents are expressions.
class DimsExprs {
public:
    //! The number of dimensions, 0 to Dims::MAX_DIMS.
    int32_t nbDims;

    //! The extents; only the first nbDims are valid.
    IDimensionExpr const* d[Dims::MAX_DIMS];
};

//! Creates expressions. Implemented by Kiln and valid for the duration of one callback. The plugin
//! must not keep the builder or its expressions after the callback returns.
class IExprBuilder : public INoCopy {
public:
    //! A constant expression.
    //!
    //! \return Owned by the builder; equal arguments may give the same object.
    virtual IDimensionExpr const* constant(int64_t value) noexcept = 0;

    //! The expression `first op second`.
    //!
    //! \return Owned by the builder; constant if both operands are. nullptr for an operation that
    //!     is not a DimensionOperation, and for division by the constant 0.
    virtual IDimensionExpr const* operation(DimensionOperation op, IDimensionExpr const& first,
                                            IDimensionExpr const& second) noexcept = 0;

    //! Declares an output as a size tensor: a scalar that the plugin writes in enqueue() and that
    //! is an extent of its other outputs. For data-dependent shapes; IPluginV3 only.
    //!
    //! \param outputIndex the output that holds the value; type kINT32 or kINT64, no dimensions.
    //! \param opt the value that the engine is tuned for.
    //! \param upper the largest value that the plugin may write; it determines the memory that is
    //!     reserved.
    //!
    //! \return The expression, owned by the builder. nullptr when the output cannot be a size
    //!     tensor.
    virtual IDimensionExpr const* declareSizeTensor(int32_t outputIndex, IDimensionExpr const& opt,
                                                    IDimensionExpr const& upper) = 0;

protected:
    ~IExprBuilder() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
