// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! x if x >= 0, else slope * x.
//!
//! Input 0 and output 0: any shape, the same for both; kFLOAT, kHALF or kBF16. Input 1: slopes of
//! the same type and rank; each extent is that of input 0, or 1.
class IParametricReLULayer : public ILayer {
public:
    ~IParametricReLULayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
