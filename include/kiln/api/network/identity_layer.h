// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Copies its input.
//!
//! Input 0 and output 0: any shape, the same for both. In a strongly typed network the types are
//! also the same; in a weakly typed one, setting a different output type converts like ICastLayer.
class IIdentityLayer : public ILayer {
public:
    ~IIdentityLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
