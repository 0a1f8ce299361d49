// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V2_EXT_H
#define KILN_API_PLUGIN_V2_EXT_H

#include "kiln/api/allocators.h"
#include "kiln/api/plugin_v2.h"

struct cudnnContext;
struct cublasContext;

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IPluginV2Ext : public IPluginV2
{
public:
    virtual DataType getOutputDataType(int32_t index, DataType const* inputTypes,
        int32_t nbInputs) const noexcept = 0;
    virtual void configurePlugin(Dims const* inputDims, int32_t nbInputs, Dims const* outputDims,
        int32_t nbOutputs, DataType const* inputTypes, DataType const* outputTypes,
        bool const* inputIsBroadcast, bool const* outputIsBroadcast, PluginFormat floatFormat,
        int32_t maxBatchSize) noexcept = 0;
    constexpr IPluginV2Ext() = default;
    ~IPluginV2Ext() noexcept override = default;
    virtual void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept
    {
    }
    virtual void detachFromContext() noexcept
    {
    }
    IPluginV2Ext* clone() const noexcept override = 0;
    virtual bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept
    {
        return false;
    }
    virtual bool canBroadcastInputAcrossBatch(int32_t) const noexcept
    {
        return false;
    }

protected:
    constexpr IPluginV2Ext(IPluginV2Ext const&) = default;
    constexpr IPluginV2Ext(IPluginV2Ext&&) = default;
    IPluginV2Ext& operator=(IPluginV2Ext const&) & = default;
    IPluginV2Ext& operator=(IPluginV2Ext&&) & = default;
    int32_t getTensorRTVersion() const noexcept override
    {
        return impl::taggedVersion(PluginVersion::kV2_EXT);
    }
    void configureWithFormat(Dims const*, int32_t, Dims const*, int32_t, DataType, PluginFormat,
        int32_t) noexcept override
    {
    }
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V2_EXT_H
