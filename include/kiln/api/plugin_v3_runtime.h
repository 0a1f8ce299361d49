// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneRuntime: the runtime capability of an IPluginV3.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_resource.h"
#include "kiln/api/plugin_tensor_desc.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! The runtime capability. Implemented by the user; see IPluginV3 for the order of calls.
//!
//! Functions that return int32_t return 0 for success; any other value fails the build or the run.
//! The error names the layer, the plugin, the function and the value. Report the reason with
//! kilnReportPluginError() (kiln/plugin_error.h).
class IPluginV3OneRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_RUNTIME", 1, 0};
    }

    //! Sets the tactic for enqueue(): one of getValidTactics(), or 0 if there are none. Called
    //! before the first onShapeChange(). Default: ignores it.
    virtual int32_t setTactic(int32_t) noexcept { return 0; }

    //! Notifies the plugin of the actual shapes, types and formats.
    //!
    //! \param in, out nbInputs and nbOutputs descriptions; shape inputs follow the other inputs. An
    //!     extent is -1 only if a size tensor of this plugin sets it.
    //!
    //! Called before the first enqueue(), and before each enqueue() after a change of shape. Do
    //! slow preparations here instead of in enqueue().
    virtual int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs,
                                  PluginTensorDesc const* out, int32_t nbOutputs) noexcept = 0;

    //! Computes the outputs.
    //!
    //! \param inputDesc, outputDesc the actual shapes, and the selected types and formats.
    //! \param inputs, outputs one address for each tensor, in memory of the target (shape inputs:
    //!     in host memory). Owned by Kiln; they may change with every call.
    //! \param workspace getWorkspaceSize() bytes, aligned to 64 bytes; contents undefined.
    //! \param stream the stream to enqueue work on, on cuda; do not synchronize. Unused on cpu:
    //!     complete the work before returning.
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, void* workspace,
                            cudaStream_t stream) noexcept = 0;

    //! Returns a new object for an execution context, like clone(). It may use resources of the
    //! context.
    //!
    //! \param context provides the allocator and the error recorder; valid as long as the new
    //!     object.
    //!
    //! \return nullptr on failure. The caller deletes the object.
    virtual IPluginV3* attachToContext(IPluginResourceContext* context) noexcept = 0;

    //! Returns the serialized state: the fields that createPlugin() receives when the plan is
    //! loaded.
    //!
    //! \return Owned by the plugin, including all data; valid until the next call. Field names may
    //!     differ from those of getFieldNames(). nullptr fails the build; a plugin without state
    //!     returns an empty collection.
    virtual PluginFieldCollection const* getFieldsToSerialize() noexcept = 0;
};

} // namespace v_1_0

using IPluginV3OneRuntime = v_1_0::IPluginV3OneRuntime;

} // namespace nvinfer1

#pragma GCC visibility pop
