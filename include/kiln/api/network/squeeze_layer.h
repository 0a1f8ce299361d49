// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Removes axes of extent 1.
//!
//! Input 0: any shape and type. Input 1: the axes, a shape tensor known at build time, [n] or a
//! scalar, kINT32 or kINT64; negative axes count from the end. Output 0: the same elements without
//! these axes.
class ISqueezeLayer : public ILayer {
public:
    ~ISqueezeLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
