// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_CREATOR_V3_H
#define KILN_API_PLUGIN_CREATOR_V3_H

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginCreatorV3One : public IPluginCreatorInterface
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN CREATOR_V3ONE", 1, 0};
    }
    virtual IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fc,
        TensorRTPhase phase) noexcept = 0;
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;
    virtual AsciiChar const* getPluginName() const noexcept = 0;
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;
    constexpr IPluginCreatorV3One() = default;
    ~IPluginCreatorV3One() noexcept override = default;

protected:
    constexpr IPluginCreatorV3One(IPluginCreatorV3One const&) = default;
    constexpr IPluginCreatorV3One(IPluginCreatorV3One&&) = default;
    IPluginCreatorV3One& operator=(IPluginCreatorV3One const&) & = default;
    IPluginCreatorV3One& operator=(IPluginCreatorV3One&&) & = default;
};
} // namespace v_1_0

using IPluginCreatorV3One = v_1_0::IPluginCreatorV3One;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_CREATOR_V3_H
