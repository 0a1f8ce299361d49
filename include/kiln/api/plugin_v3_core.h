// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V3_CORE_H
#define KILN_API_PLUGIN_V3_CORE_H

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginV3OneCore : public IPluginCapability
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN_V3ONE_CORE", 1, 0};
    }
    virtual AsciiChar const* getPluginName() const noexcept = 0;
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;
};
} // namespace v_1_0

using IPluginV3OneCore = v_1_0::IPluginV3OneCore;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V3_CORE_H
