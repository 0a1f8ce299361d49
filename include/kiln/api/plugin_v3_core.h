// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneCore: the part of an IPluginV3 that says who it is.
#pragma once

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Name, version and namespace of a plugin. Together they find its creator when a plan is loaded,
//! so they must be the creator's. Implemented by the user; see IPluginV3 for the order of calls.
class IPluginV3OneCore : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_CORE", 1, 0};
    }

    //! The name. Owned by the plugin; zero-terminated, at most 1024 bytes with the zero.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! The version, usually "1". As the name.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The namespace, "" for none. As the name; never nullptr.
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;
};

} // namespace v_1_0

using IPluginV3OneCore = v_1_0::IPluginV3OneCore;

} // namespace nvinfer1

#pragma GCC visibility pop
