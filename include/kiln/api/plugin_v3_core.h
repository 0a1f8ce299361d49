// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneCore: the identity of an IPluginV3.
#pragma once

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Name, version and namespace of a plugin. They identify its creator when a plan is loaded, so
//! they must equal those of the creator. Implemented by the user; see IPluginV3 for the order of
//! calls.
class IPluginV3OneCore : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_CORE", 1, 0};
    }

    //! The name. Owned by the plugin; null-terminated, at most 1024 bytes including the terminator.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! The version, usually "1". Same rules as for the name.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The namespace, "" for none. Same rules as for the name; never nullptr.
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;
};

} // namespace v_1_0

using IPluginV3OneCore = v_1_0::IPluginV3OneCore;

} // namespace nvinfer1

#pragma GCC visibility pop
