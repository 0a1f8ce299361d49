// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V2_DYNAMIC_EXT_H
#define KILN_API_PLUGIN_V2_DYNAMIC_EXT_H

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_v2_ext.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IPluginV2DynamicExt : public IPluginV2Ext
{
public:
    static constexpr int32_t kFORMAT_COMBINATION_LIMIT{100};
    IPluginV2DynamicExt* clone() const noexcept override = 0;
    virtual DimsExprs getOutputDimensions(int32_t outputIndex, DimsExprs const* inputs,
        int32_t nbInputs, IExprBuilder& exprBuilder) noexcept = 0;
    virtual bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut,
        int32_t nbInputs, int32_t nbOutputs) noexcept = 0;
    virtual void configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
        DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept = 0;
    virtual size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t nbInputs,
        PluginTensorDesc const* outputs, int32_t nbOutputs) const noexcept = 0;
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
        void const* const* inputs, void* const* outputs, void* workspace,
        cudaStream_t stream) noexcept = 0;

protected:
    int32_t getTensorRTVersion() const noexcept override
    {
        return impl::taggedVersion(PluginVersion::kV2_DYNAMICEXT);
    }
    ~IPluginV2DynamicExt() noexcept override = default;

    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*,
        DataType const*, bool const*, bool const*, PluginFormat, int32_t) noexcept final
    {
    }
    bool supportsFormat(DataType, PluginFormat) const noexcept final { return false; }
    Dims getOutputDimensions(int32_t, Dims const*, int32_t) noexcept final { return Dims{-1, {}}; }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept final
    {
        return false;
    }
    bool canBroadcastInputAcrossBatch(int32_t) const noexcept final { return false; }
    size_t getWorkspaceSize(int32_t) const noexcept final { return 0; }
    int32_t enqueue(int32_t, void const* const*, void* const*, void*, cudaStream_t) noexcept final
    {
        return 1;
    }
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V2_DYNAMIC_EXT_H
