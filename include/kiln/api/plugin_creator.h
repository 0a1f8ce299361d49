// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_CREATOR_H
#define KILN_API_PLUGIN_CREATOR_H

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v2.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginCreator : public IPluginCreatorInterface
{
public:
    virtual AsciiChar const* getPluginName() const noexcept = 0;
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;
    virtual IPluginV2* createPlugin(AsciiChar const* name,
        PluginFieldCollection const* fc) noexcept = 0;
    virtual IPluginV2* deserializePlugin(AsciiChar const* name, void const* serialData,
        size_t serialLength) noexcept = 0;
    virtual void setPluginNamespace(AsciiChar const* pluginNamespace) noexcept = 0;
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;
    constexpr IPluginCreator() = default;
    ~IPluginCreator() noexcept override = default;
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN CREATOR_V1", 1, 0};
    }

protected:
    constexpr IPluginCreator(IPluginCreator const&) = default;
    constexpr IPluginCreator(IPluginCreator&&) = default;
    IPluginCreator& operator=(IPluginCreator const&) & = default;
    IPluginCreator& operator=(IPluginCreator&&) & = default;
};
} // namespace v_1_0

using IPluginCreator = v_1_0::IPluginCreator;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_CREATOR_H
