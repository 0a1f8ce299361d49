// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_V3_RUNTIME_H
#define KILN_API_PLUGIN_V3_RUNTIME_H

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_resource.h"
#include "kiln/api/plugin_tensor_desc.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IPluginV3OneRuntime : public IPluginCapability
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"PLUGIN_V3ONE_RUNTIME", 1, 0};
    }
    virtual int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs,
        PluginTensorDesc const* out, int32_t nbOutputs) noexcept = 0;
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
        void const* const* inputs, void* const* outputs, void* workspace,
        cudaStream_t stream) noexcept = 0;
    virtual IPluginV3* attachToContext(IPluginResourceContext* context) noexcept = 0;
    virtual PluginFieldCollection const* getFieldsToSerialize() noexcept = 0;
    virtual int32_t setTactic(int32_t) noexcept
    {
        return 0;
    }
};
} // namespace v_1_0

using IPluginV3OneRuntime = v_1_0::IPluginV3OneRuntime;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_V3_RUNTIME_H
