// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Returns the shape of a tensor.
//!
//! Input 0: any shape and type. Output 0: [rank of input 0], kINT64; a shape tensor.
class IShapeLayer : public ILayer {
public:
    ~IShapeLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
