// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneRuntime: the part of an IPluginV3 that computes.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_resource.h"
#include "kiln/api/plugin_tensor_desc.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! What runs. Implemented by the user; see IPluginV3 for the order of calls.
//!
//! Functions that return int32_t return 0 for success; any other value fails the timing or the
//! execution, with the layer, the plugin, the function and the value in the error.
//! kilnReportPluginError() in kiln/plugin_error.h adds words to it.
class IPluginV3OneRuntime : public IPluginCapability {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3ONE_RUNTIME", 1, 0};
    }

    //! Sets the tactic that enqueue() shall use: one of getValidTactics(), or 0 where there are
    //! none. Called before the first onShapeChange(). Default: ignores it.
    virtual int32_t setTactic(int32_t) noexcept { return 0; }

    //! Tells the plugin the real shapes, types and formats.
    //!
    //! \param in, out nbInputs and nbOutputs descriptions; shape inputs follow the other inputs. An
    //!     extent is -1 only where a size tensor of this plugin decides it.
    //!
    //! Called before the first enqueue(), and before each enqueue() that follows a change of shape.
    //! The place for what would be slow in enqueue().
    virtual int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs,
                                  PluginTensorDesc const* out, int32_t nbOutputs) noexcept = 0;

    //! Computes the outputs.
    //!
    //! \param inputDesc, outputDesc the real shapes, and the types and formats chosen.
    //! \param inputs, outputs one address for each tensor, in memory of the target (that of shape
    //!     inputs: the host). Owned by Kiln; they may differ at every call.
    //! \param workspace as many bytes as getWorkspaceSize() asked for, aligned to 64 bytes;
    //!     contents undefined.
    //! \param stream where the work goes, on cuda: wait for nothing, return at once. Ignored on
    //!     cpu: be done on return.
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, void* workspace,
                            cudaStream_t stream) noexcept = 0;

    //! The object that shall run in an execution context: a new one, like clone(), that may get
    //! resources from the context.
    //!
    //! \param context gives the allocator and the error recorder; valid as long as the new object.
    //!
    //! \return nullptr for failure. The caller deletes it.
    virtual IPluginV3* attachToContext(IPluginResourceContext* context) noexcept = 0;

    //! What the plugin is saved as: the fields that createPlugin() gets when the plan is loaded.
    //!
    //! \return Owned by the plugin, with all that it points to; valid until the next call. Field
    //!     names are the plugin's own business and need not be those of getFieldNames().
    //!     nullptr fails the build; a plugin without state returns an empty collection.
    virtual PluginFieldCollection const* getFieldsToSerialize() noexcept = 0;
};

} // namespace v_1_0

using IPluginV3OneRuntime = v_1_0::IPluginV3OneRuntime;

} // namespace nvinfer1

#pragma GCC visibility pop
