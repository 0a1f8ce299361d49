// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Takes each element from one of two tensors.
//!
//! Input 0:  the condition, kBOOL. Inputs 1 and 2: any type, the same for both. All three have the
//!     same rank; along each axis equal extents or 1, which is repeated.
//! Output 0: type of input 1; input 1 where the condition is true, else input 2.
class ISelectLayer : public ILayer {
public:
    ~ISelectLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
