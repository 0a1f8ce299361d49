// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Hands its input on.
//!
//! Input 0 and output 0: any shape, the same for both. In a strongly typed network the type is the
//! same, too; in a weakly typed one an output type converts as ICastLayer does.
class IIdentityLayer : public ILayer {
public:
    ~IIdentityLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
