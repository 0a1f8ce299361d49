// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Operation that an IElementWiseLayer applies to each pair of elements x (input 0) and
//! y (input 1).
enum class ElementWiseOperation : int32_t {
    kSUM = 0,       //!< x + y.
    kPROD = 1,      //!< x * y.
    kMAX = 2,       //!< The larger of x and y.
    kMIN = 3,       //!< The smaller of x and y.
    kSUB = 4,       //!< x - y.
    kDIV = 5,       //!< x / y; integers truncate towards zero.
    kPOW = 6,       //!< x ^ y.
    kFLOOR_DIV = 7, //!< floor(x / y).
    kAND = 8,       //!< Logical and; booleans.
    kOR = 9,        //!< Logical or; booleans.
    kXOR = 10,      //!< Logical exclusive or; booleans.
    kEQUAL = 11,    //!< Boolean: x == y.
    kGREATER = 12,  //!< Boolean: x > y.
    kLESS = 13,     //!< Boolean: x < y.
};

//! Number of values of ElementWiseOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<ElementWiseOperation>() noexcept {
    return 14;
}

//! Combines two tensors element by element.
//!
//! Inputs 0 and 1: the same rank and type; along each axis, extents are equal or one of them is 1
//! and is broadcast. Output 0: the broadcast shape; the type of the inputs, kBOOL for comparisons.
class IElementWiseLayer : public ILayer {
public:
    ~IElementWiseLayer() noexcept override = default;

    //! Sets the operation.
    virtual void setOperation(ElementWiseOperation op) noexcept = 0;

    //! The operation.
    virtual ElementWiseOperation getOperation() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
