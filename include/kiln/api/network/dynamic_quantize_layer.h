// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/macros.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Quantization in blocks, with scales that are computed from the elements.
//!
//! Input 0: any shape of rank 1 or more; kFLOAT, kHALF or kBF16. Input 1, absent unless the scales
//! are kFP8: one kFLOAT value, by which the scales themselves are scaled. Set it with
//! setInput(1, ...).
//!
//! The scale of a block is the largest magnitude in it, divided by the largest number of the
//! output's type and by input 1, and converted to the type of scales: kFP8 and kFLOAT round to
//! nearest, kE8M0 rounds up to a power of two. Elements are divided by scale and input 1, rounded
//! to nearest, ties to even, and clamped.
//!
//! Output 0: the shape of input 0, of the type that setToType() set. Output 1, the scales: the
//! extents of input 0, each divided by that of the block and rounded up, of the type that
//! setScaleType() set.
class IDynamicQuantizeLayer : public ILayer {
public:
    ~IDynamicQuantizeLayer() noexcept override = default;

    //! Sets the type of output 0: kFP4 or kFP8; Kiln also takes kINT8 and kINT4.
    virtual void setToType(DataType toType) noexcept = 0;

    //! The type of output 0.
    virtual DataType getToType() const noexcept = 0;

    //! Sets the type of the scales: kFP8, kE8M0 or kFLOAT; Kiln also takes kHALF and kBF16.
    virtual void setScaleType(DataType scaleType) noexcept = 0;

    //! The type of the scales.
    virtual DataType getScaleType() const noexcept = 0;

    //! Sets the axis that is divided into blocks. It forgets a block shape.
    //! \param axis 0 .. rank - 1 of input 0.
    TRT_DEPRECATED virtual void setAxis(int32_t axis) noexcept = 0;

    //! The axis that is divided into blocks; -1 if a block shape was set.
    TRT_DEPRECATED virtual int32_t getAxis() const noexcept = 0;

    //! Sets the number of elements of a block along the axis. It forgets a block shape.
    //! \param size 1 or more; in TensorRT 16 for kFP4 and 32 for kFP8.
    TRT_DEPRECATED virtual void setBlockSize(int32_t size) noexcept = 0;

    //! The number of elements of a block along the axis; -1 if a block shape was set.
    TRT_DEPRECATED virtual int32_t getBlockSize() const noexcept = 0;

    //! Sets the extents of a block. It forgets axis and block size.
    //! \param blockShape one extent for each dimension of input 0, which is 1 or more, or -1 for
    //!     the whole dimension.
    virtual void setBlockShape(Dims const& blockShape) noexcept = 0;

    //! The extents of a block; no dimensions if axis and block size give them.
    virtual Dims getBlockShape() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
