// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Quantization: clamp(round(x / scale) + zero point) to the range of the output's type, rounded to
//! nearest, ties to even.
//!
//! Input 0: any shape; kFLOAT, kHALF or kBF16. Input 1, the scale: kFLOAT, kHALF or kBF16, in
//! blocks also kFP8 or kE8M0, positive, of one of these shapes:
//!  - one value (no dimensions, or extents of 1) for the whole tensor,
//!  - [extent of the axis]: one value for each index along the axis,
//!  - the rank of input 0: one value for each block of elements. An extent of the block is that of
//!    input 0 divided by that of the scale, rounded up.
//! Input 2, the zero point: absent, or the shape of the scale and the type of the output. It is 0
//! in TensorRT; Kiln takes other values of kINT8 and kFP8. Set it with setInput(2, ...).
//!
//! Output 0: the shape of input 0, of the type that setToType() set.
class IQuantizeLayer : public ILayer {
public:
    ~IQuantizeLayer() noexcept override = default;

    //! Sets the axis of a scale that has one value for each index along it.
    //! \param axis 0 .. rank - 1 of input 0; -1, the default, if the scale is one value or has a
    //!     block shape.
    virtual void setAxis(int32_t axis) noexcept = 0;

    //! The axis of the scale; -1 if there is none.
    virtual int32_t getAxis() const noexcept = 0;

    //! Sets the extents of a block of elements that share a scale.
    //! \param blockShape one extent for each dimension of input 0, which is 1 or more, or -1 for
    //!     the whole dimension. Default: no dimensions, and the shape of a scale whose rank is that
    //!     of input 0 gives the blocks.
    //! \return false, with a logged error, if an extent is neither -1 nor 1 or more.
    virtual bool setBlockShape(Dims const& blockShape) noexcept = 0;

    //! The extents of a block; no dimensions if none were set.
    virtual Dims getBlockShape() const noexcept = 0;

    //! Sets the type of the output.
    //! \param toType kINT8 (the default: -128 .. 127), kFP8 (E4M3, -448 .. 448), kINT4 (-8 .. 7) or
    //!     kFP4 (E2M1, -6 .. 6).
    virtual void setToType(DataType toType) noexcept = 0;

    //! The type of the output.
    virtual DataType getToType() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
