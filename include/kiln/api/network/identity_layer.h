// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

namespace nvinfer1 {

class IIdentityLayer : public ILayer {
public:
    ~IIdentityLayer() noexcept override = default;

};

} // namespace nvinfer1
