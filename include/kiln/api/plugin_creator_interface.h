// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreatorInterface: the common base class of plugin creators.
#pragma once

#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Creates plugins. getInterfaceInfo() identifies the derived interface: kind "PLUGIN CREATOR_V1"
//! is IPluginCreator, "PLUGIN CREATOR_V3ONE" is IPluginCreatorV3One, "PLUGIN CREATOR_V3QUICK" is
//! IPluginCreatorV3Quick.
class IPluginCreatorInterface : public IVersionedInterface {
public:
    ~IPluginCreatorInterface() noexcept override = default;

protected:
    constexpr IPluginCreatorInterface() = default;
    constexpr IPluginCreatorInterface(IPluginCreatorInterface const&) = default;
    constexpr IPluginCreatorInterface(IPluginCreatorInterface&&) = default;
    IPluginCreatorInterface& operator=(IPluginCreatorInterface const&) & = default;
    IPluginCreatorInterface& operator=(IPluginCreatorInterface&&) & = default;
};

} // namespace v_1_0

using IPluginCreatorInterface = v_1_0::IPluginCreatorInterface;

} // namespace nvinfer1

#pragma GCC visibility pop
