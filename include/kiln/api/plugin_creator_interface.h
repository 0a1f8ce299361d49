// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_CREATOR_INTERFACE_H
#define KILN_API_PLUGIN_CREATOR_INTERFACE_H

#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginCreatorInterface : public IVersionedInterface
{
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

#endif // KILN_API_PLUGIN_CREATOR_INTERFACE_H
