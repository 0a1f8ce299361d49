// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3QuickCore: the identity of a decorated plugin.
#pragma once

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Name, version and namespace, as in IPluginV3OneCore. An IPluginV3 with this kCORE capability has
//! an IPluginV3QuickBuild (or -AOTBuild) and an IPluginV3QuickRuntime. Implemented by the user, or
//! by the Python module for decorated functions.
class IPluginV3QuickCore : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3QUICK_CORE", 1, 0};
    }

    //! Null-terminated, not empty, owned by the plugin.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! Same rules as for the name.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! "" for none. Same rules as for the name.
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;
};

} // namespace v_1_0

using IPluginV3QuickCore = v_1_0::IPluginV3QuickCore;

} // namespace nvinfer1

#pragma GCC visibility pop
