// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V3_H
#define KILN_API_PLUGIN_V3_H

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginV3 : public IVersionedInterface
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN_V3", 1, 0};
    }
    virtual IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept = 0;
    virtual IPluginV3* clone() noexcept = 0;
};
} // namespace v_1_0

using IPluginV3 = v_1_0::IPluginV3;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V3_H
