// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreatorInterface: the common base of creators, under which the registry keeps them.
#pragma once

#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Makes plugins. The derived interfaces are IPluginCreator and IPluginCreatorV3One;
//! getInterfaceInfo() tells which one an object has: kind "PLUGIN CREATOR_V1" or
//! "PLUGIN CREATOR_V3ONE".
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
