// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3QuickRuntime: the runtime capability of a decorated plugin.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_tensor_desc.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! The runtime capability. Each execution context has its own clone() of the plugin. Functions that
//! return int32_t return 0 for success.
class IPluginV3QuickRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3QUICK_RUNTIME", 1, 0};
    }

    //! Sets the tactic for enqueue(); 0 if there are none. Called before the first enqueue().
    virtual int32_t setTactic(int32_t) noexcept { return 0; }

    //! Computes the outputs.
    //!
    //! \param inputDesc, outputDesc nbInputs and nbOutputs shapes, types and formats; shape inputs
    //!     follow the other inputs. An extent is -1 only if a size tensor of this plugin sets it.
    //! \param inputs, outputs one address for each tensor, in memory of the target.
    //! \param inputStrides, outputStrides the strides of each dimension, in elements.
    //! \param stream the stream to enqueue work on, on cuda. Unused on cpu: complete the work
    //!     before returning.
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs,
                            Dims const* inputStrides, Dims const* outputStrides, int32_t nbInputs,
                            int32_t nbOutputs, cudaStream_t stream) noexcept = 0;

    //! Returns the serialized state; as IPluginV3OneRuntime::getFieldsToSerialize().
    virtual PluginFieldCollection const* getFieldsToSerialize() noexcept = 0;
};

} // namespace v_1_0

using IPluginV3QuickRuntime = v_1_0::IPluginV3QuickRuntime;

} // namespace nvinfer1

#pragma GCC visibility pop
