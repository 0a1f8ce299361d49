// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A layer that runs an IPluginV3. The plugin determines the shapes, types and formats of its
//! outputs. The inputs of the layer are the plugin's inputs, then its shape inputs.
class IPluginV3Layer : public ILayer {
public:
    ~IPluginV3Layer() noexcept override = default;

    //! The plugin: the network's clone of the argument of addPluginV3(). Owned by the network.
    virtual IPluginV3& getPlugin() noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
