// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V3_BUILD_H
#define KILN_API_PLUGIN_V3_BUILD_H

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_tensor_desc.h"
#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginV3OneBuild : public IPluginCapability
{
public:
    static constexpr int32_t kDEFAULT_FORMAT_COMBINATION_LIMIT{100};
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 1, 0};
    }
    virtual int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
        DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept = 0;
    virtual int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs,
        DataType const* inputTypes, int32_t nbInputs) const noexcept = 0;
    virtual int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs,
        DimsExprs const* shapeInputs, int32_t nbShapeInputs, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder& exprBuilder) noexcept = 0;
    virtual bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut,
        int32_t nbInputs, int32_t nbOutputs) noexcept = 0;
    virtual int32_t getNbOutputs() const noexcept = 0;
    virtual int32_t getNbTactics() noexcept
    {
        return 0;
    }
    virtual char const* getTimingCacheID() noexcept
    {
        return nullptr;
    }
    virtual int32_t getFormatCombinationLimit() noexcept
    {
        return kDEFAULT_FORMAT_COMBINATION_LIMIT;
    }
    virtual char const* getMetadataString() noexcept
    {
        return nullptr;
    }
    virtual size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t,
        DynamicPluginTensorDesc const*, int32_t) const noexcept
    {
        return 0;
    }
    virtual int32_t getValidTactics(int32_t*, int32_t) noexcept
    {
        return 0;
    }
};
} // namespace v_1_0

using IPluginV3OneBuild = v_1_0::IPluginV3OneBuild;

namespace v_2_0
{
class IPluginV3OneBuild : public v_1_0::IPluginV3OneBuild
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN_V3ONE_BUILD", 2, 0};
    }
    virtual int32_t getAliasedInput(int32_t) noexcept
    {
        return -1;
    }
};
} // namespace v_2_0

using IPluginV3OneBuildV2 = v_2_0::IPluginV3OneBuild;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V3_BUILD_H
