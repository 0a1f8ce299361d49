// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_DIMENSION_EXPR_H
#define KILN_API_DIMENSION_EXPR_H

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class DimensionOperation : int32_t
{
    kSUM = 0,
    kPROD = 1,
    kMAX = 2,
    kMIN = 3,
    kSUB = 4,
    kEQUAL = 5,
    kLESS = 6,
    kFLOOR_DIV = 7,
    kCEIL_DIV = 8,
};

template <>
constexpr int32_t EnumMax<DimensionOperation>() noexcept {
    return 9;
}

class IDimensionExpr : public INoCopy
{
public:
    virtual bool isConstant() const noexcept = 0;
    virtual int64_t getConstantValue() const noexcept = 0;
    virtual bool isSizeTensor() const noexcept = 0;

protected:
    ~IDimensionExpr() noexcept override = default;
};

class DimsExprs
{
public:
    int32_t nbDims;
    IDimensionExpr const* d[Dims::MAX_DIMS];
};

class IExprBuilder : public INoCopy
{
public:
    virtual IDimensionExpr const* constant(int64_t value) noexcept = 0;
    virtual IDimensionExpr const* operation(DimensionOperation op, IDimensionExpr const& first,
        IDimensionExpr const& second) noexcept = 0;
    virtual IDimensionExpr const* declareSizeTensor(int32_t outputIndex,
        IDimensionExpr const& opt, IDimensionExpr const& upper) = 0;

protected:
    ~IExprBuilder() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_DIMENSION_EXPR_H
