// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

namespace nvinfer1 {

class ICastLayer : public ILayer {
public:
    ~ICastLayer() noexcept override = default;

    virtual void setToType(DataType toType) noexcept = 0;
    virtual DataType getToType() const noexcept = 0;
};

} // namespace nvinfer1
