// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

namespace nvinfer1 {

class ISoftMaxLayer : public ILayer {
public:
    ~ISoftMaxLayer() noexcept override = default;

    virtual void setAxes(uint32_t axes) noexcept = 0;
    virtual uint32_t getAxes() const noexcept = 0;
};

} // namespace nvinfer1
