// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/topk_operation.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The k largest or smallest elements along one axis, and where they are.
//!
//! Input 0:  any shape of rank 1 or more; kFLOAT, kHALF, kBF16, kINT32, kINT64, kINT8 or kUINT8.
//! Input 1 (optional): k as a shape tensor, a scalar, kINT32 or kINT64, instead of a constant; set
//!     it with setInput().
//! Output 0: type of input 0, its extents with k along the axis: the elements, best first. Among
//!     equal elements, the lower index comes first. NaN counts as larger than all numbers.
//! Output 1: the same extents: the indices of these elements along the axis, getIndicesType().
//!
//! k is 0 or more and at most the extent of the axis.
class ITopKLayer : public ILayer {
public:
    ~ITopKLayer() noexcept override = default;

    //! Sets whether the largest or the smallest elements are kept.
    virtual void setOperation(TopKOperation op) noexcept = 0;

    //! Whether the largest or the smallest elements are kept.
    virtual TopKOperation getOperation() const noexcept = 0;

    //! Sets the number of elements, 0 or more, and removes input 1.
    virtual void setK(int32_t k) noexcept = 0;

    //! The number of elements, as set last by setK() or addTopK(), whether or not input 1 supplies
    //! it.
    virtual int32_t getK() const noexcept = 0;

    //! Sets the axis.
    //! \param reduceAxes bit mask with one bit: bit i selects dimension i.
    virtual void setReduceAxes(uint32_t reduceAxes) noexcept = 0;

    //! The bit mask of the axis.
    virtual uint32_t getReduceAxes() const noexcept = 0;

    //! Sets the type of the indices. \return false unless it is kINT32 or kINT64. Default: kINT32.
    virtual bool setIndicesType(DataType type) noexcept = 0;

    //! The type of the indices.
    virtual DataType getIndicesType() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
