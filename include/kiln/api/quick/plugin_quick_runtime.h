// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3QuickRuntime: the part of a decorated plugin that computes.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_tensor_desc.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! What runs. Each execution context has a clone() of the plugin of its own. Functions that return
//! int32_t return 0 for success.
class IPluginV3QuickRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3QUICK_RUNTIME", 1, 0};
    }

    //! Sets the tactic that enqueue() shall use; 0 where there are none. Called before the first
    //! enqueue().
    virtual int32_t setTactic(int32_t) noexcept { return 0; }

    //! Computes the outputs.
    //!
    //! \param inputDesc, outputDesc nbInputs and nbOutputs shapes, types and formats; shape inputs
    //!     follow the other inputs. An extent is -1 only where a size tensor of this plugin decides
    //!     it.
    //! \param inputs, outputs one address for each tensor, in memory of the target.
    //! \param inputStrides, outputStrides steps along each dimension, in elements.
    //! \param stream where the work goes, on cuda. Ignored on cpu: be done on return.
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs,
                            Dims const* inputStrides, Dims const* outputStrides, int32_t nbInputs,
                            int32_t nbOutputs, cudaStream_t stream) noexcept = 0;

    //! What the plugin is saved as; as IPluginV3OneRuntime::getFieldsToSerialize().
    virtual PluginFieldCollection const* getFieldsToSerialize() noexcept = 0;
};

} // namespace v_1_0

using IPluginV3QuickRuntime = v_1_0::IPluginV3QuickRuntime;

} // namespace nvinfer1

#pragma GCC visibility pop
