// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A layer whose operation is the user's IPluginV3. The plugin says shapes, types and formats of
//! its outputs. The inputs of the layer are the plugin's inputs, then its shape inputs.
class IPluginV3Layer : public ILayer {
public:
    ~IPluginV3Layer() noexcept override = default;

    //! The plugin: the network's own clone of the one that was passed to addPluginV3(). It belongs
    //! to the network.
    virtual IPluginV3& getPlugin() noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
