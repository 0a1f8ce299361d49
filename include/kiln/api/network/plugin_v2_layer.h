// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

namespace nvinfer1 {

class IPluginV2Layer : public ILayer {
public:
    ~IPluginV2Layer() noexcept override = default;

    virtual IPluginV2& getPlugin() noexcept = 0;
};

} // namespace nvinfer1
