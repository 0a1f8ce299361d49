// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/plugin_v2.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A layer that runs an IPluginV2 (or a class derived from it). The plugin determines the shapes,
//! types and formats of its outputs.
class IPluginV2Layer : public ILayer {
public:
    ~IPluginV2Layer() noexcept override = default;

    //! The plugin: the network's clone of the argument of addPluginV2(). Owned by the network.
    virtual IPluginV2& getPlugin() noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
