// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/permutation.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Transposes, reshapes and transposes again; each step is optional.
//!
//! Input 0:  any shape and type.
//! Input 1 (optional): the reshape dimensions as a shape tensor, [rank'], kINT32 or kINT64, instead
//!     of constants; set it with setInput(1, tensor).
//! Output 0: the same elements and type, reordered and reshaped.
class IShuffleLayer : public ILayer {
public:
    ~IShuffleLayer() noexcept override = default;

    //! Sets the transpose before the reshape. Default: none.
    virtual void setFirstTranspose(Permutation permutation) noexcept = 0;

    //! The transpose before the reshape; the identity if none is set.
    virtual Permutation getFirstTranspose() const noexcept = 0;

    //! Sets the reshape dimensions and removes input 1. Default: no reshape.
    //! \param dimensions at most one -1, which is derived from the number of elements. 0 copies the
    //!     extent of the same index, or means 0 after setZeroIsPlaceholder(false).
    virtual void setReshapeDimensions(Dims const& dimensions) noexcept = 0;

    //! The reshape dimensions. nbDims is -1 if none are set or input 1 supplies them.
    virtual Dims getReshapeDimensions() const noexcept = 0;

    //! Sets the transpose after the reshape. Default: none.
    virtual void setSecondTranspose(Permutation permutation) noexcept = 0;

    //! The transpose after the reshape; the identity if none is set.
    virtual Permutation getSecondTranspose() const noexcept = 0;

    //! Sets the meaning of 0 in the reshape dimensions: copy the extent (true) or an empty axis
    //! (false). Default: true.
    virtual void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept = 0;

    //! True if 0 in the reshape dimensions copies an extent.
    virtual bool getZeroIsPlaceholder() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
