// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions over extents, with which a plugin says how the shapes of its outputs follow from
// those of its inputs.
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Operations on two extents, in 64-bit integers.
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
//! IExprBuilder or network that it came from.
class IDimensionExpr : public INoCopy {
public:
    //! True when the value is known now.
    virtual bool isConstant() const noexcept = 0;

    //! The value, if isConstant(); otherwise the lowest int64_t, which is no extent.
    virtual int64_t getConstantValue() const noexcept = 0;

    //! True when the extent is the value of a size tensor, made by declareSizeTensor(), and hence
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

    //! The extents; only the first nbDims mean anything.
    IDimensionExpr const* d[Dims::MAX_DIMS];
};

//! Makes expressions. Implemented by Kiln and given to a plugin for the time of one call. What it
//! makes stays valid for as long as Kiln needs it; a plugin must not keep it after the call.
class IExprBuilder : public INoCopy {
public:
    //! The expression that is always value.
    //!
    //! \return Owned by the builder; equal arguments may give the same object.
    virtual IDimensionExpr const* constant(int64_t value) noexcept = 0;

    //! The expression `first op second`.
    //!
    //! \return Owned by the builder; constant when both operands are. nullptr for an operation that
    //!     is not a DimensionOperation, or a division by the constant 0.
    virtual IDimensionExpr const* operation(DimensionOperation op, IDimensionExpr const& first,
                                            IDimensionExpr const& second) noexcept = 0;

    //! Declares an output to be a size tensor: a scalar that the plugin writes when it runs, and
    //! that is an extent of its other outputs. For data-dependent shapes; IPluginV3 only.
    //!
    //! \param outputIndex the output that holds the value; type kINT32 or kINT64, no dimensions.
    //! \param opt the value that the engine is tuned for.
    //! \param upper the largest value that the plugin may write; memory is planned for it.
    //!
    //! \return The expression, owned by the builder. nullptr when the output can not be one.
    virtual IDimensionExpr const* declareSizeTensor(int32_t outputIndex, IDimensionExpr const& opt,
                                                    IDimensionExpr const& upper) = 0;

protected:
    ~IExprBuilder() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
