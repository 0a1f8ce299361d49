// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Selects each element from one of two tensors.
//!
//! Input 0:  the condition, kBOOL. Inputs 1 and 2: any type, the same for both. All three have the
//!     same rank; along each axis, extents are equal or 1, which is broadcast.
//! Output 0: type of input 1; input 1 where the condition is true, else input 2.
class ISelectLayer : public ILayer {
public:
    ~ISelectLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
