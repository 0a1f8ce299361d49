// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

namespace nvinfer1 {

class IConstantLayer : public ILayer {
public:
    ~IConstantLayer() noexcept override = default;

    virtual void setWeights(Weights weights) noexcept = 0;
    virtual Weights getWeights() const noexcept = 0;
    virtual void setDimensions(const Dims& dimensions) noexcept = 0;
    virtual Dims getDimensions() const noexcept = 0;
};

} // namespace nvinfer1
