// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Rotates pairs of elements of each head by angles that depend on the position in the sequence
//! (RoPE): (a, b) becomes (a * cos - b * sin, a * sin + b * cos).
//!
//! Input 0: [batch, heads, sequence, headSize]; kFLOAT, kHALF or kBF16.
//! Inputs 1 (cosines) and 2 (sines): [batch, sequence, dim / 2], type of input 0; batch may be 1.
//!     With input 3, [positions, dim / 2]. dim is the number of rotated elements of a head.
//! Input 3 (optional): the position of each element, [batch, sequence], kINT32 or kINT64; set it
//!     with setInput(). A position that is not in 0 .. positions - 1 is taken as the nearest of
//!     these.
//! Output 0: shape and type of input 0.
class IRotaryEmbeddingLayer : public ILayer {
public:
    ~IRotaryEmbeddingLayer() noexcept override = default;

    //! Sets which elements form a pair: neighbours (2 * i, 2 * i + 1) if true, else (i, i + dim /
    //! 2).
    virtual void setInterleaved(bool interleaved) noexcept = 0;

    //! Whether neighbours form a pair.
    virtual bool getInterleaved() const noexcept = 0;

    //! Sets how many elements at the start of each head are rotated; the others are copied.
    //! \param rotaryEmbeddingDim even; 0: all.
    //! \return false, with a logged error, if it is negative or odd.
    virtual bool setRotaryEmbeddingDim(int32_t rotaryEmbeddingDim) noexcept = 0;

    //! The number of rotated elements; 0: all.
    virtual int32_t getRotaryEmbeddingDim() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
