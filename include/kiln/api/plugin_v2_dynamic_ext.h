// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2DynamicExt: the IPluginV2 interface with dynamic shapes.
#pragma once

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_v2_ext.h"

#pragma GCC visibility push(default)

#ifdef __CUDACC__
// nvcc warns in every plugin that overloads of the base classes are hidden. That is intended, and
// no declaration here can avoid the warning. `#pragma nv_diag_default 997` enables it again.
#pragma nv_diag_suppress 997
#endif

namespace nvinfer1 {

//! A user-defined layer whose shapes may change between runs. Implemented by the user.
//!
//! Shapes are complete: the batch is an ordinary dimension. Object life cycle:
//!
//! ```
//! adding to a network     the user's object: clone -> N, owned by the network
//!                         N: getNbOutputs, getOutputDataType, getOutputDimensions
//! building                N: clone -> B
//!                         B: supportsFormatCombination for pos 0, 1, ... and each candidate
//!   for each profile      B: configurePlugin (extents of the profile), getWorkspaceSize
//!   timing a candidate    B: clone -> T
//!   (only if there is     T: initialize, attachToContext, configurePlugin (real extents),
//!    a choice)               enqueue ..., detachFromContext, terminate, destroy
//!   saving, by profile    B: configurePlugin (the choice), initialize, getSerializationSize,
//!                            serialize, terminate, destroy
//! deleting the network    N: destroy
//! loading an engine       deserializePlugin -> E; E: clone -> checked, destroy; E: initialize
//! making a context        E: clone -> C; C: attachToContext
//! the first enqueueV3,    C: configurePlugin (desc, min, opt and max all the real extents)
//!   and after a change
//! every enqueueV3         C: enqueue
//! deleting the context    C: detachFromContext, destroy
//! deleting the engine     E: terminate, destroy
//! ```
//!
//! Each clone is destroyed exactly once. The number of calls about formats and workspace may vary.
//! A clone must copy everything that later calls need: attributes, namespace, the state of
//! configurePlugin(), and the resources of initialize() (shared or acquired again).
//!
//! The methods of IPluginV2 and IPluginV2Ext that this interface replaces are final. Calls to one
//! object are never concurrent; calls to different clones may be.
class IPluginV2DynamicExt : public IPluginV2Ext {
public:
    //! See IPluginV2::clone().
    IPluginV2DynamicExt* clone() const noexcept override = 0;

    //! The shape of an output as expressions over the shapes of the inputs.
    //!
    //! \param outputIndex 0 to getNbOutputs() - 1.
    //! \param inputs the shapes of the nbInputs inputs, as expressions.
    //! \param exprBuilder creates expressions; valid during this call only.
    //!
    //! \return The shape. All expressions must come from inputs or exprBuilder; a null expression
    //!     fails the build. nbDims must not depend on values of extents.
    //!
    //! Called when the network computes its shapes, and again for each build.
    virtual DimsExprs getOutputDimensions(int32_t outputIndex, DimsExprs const* inputs,
                                          int32_t nbInputs, IExprBuilder& exprBuilder) noexcept = 0;

    //! The maximum number of combinations of types and formats that Kiln tries.
    static constexpr int32_t kFORMAT_COMBINATION_LIMIT = 100;

    //! Whether tensor pos may have its type and format, given those of the preceding tensors.
    //!
    //! \param pos 0 to nbInputs + nbOutputs - 1: the inputs, then the outputs.
    //! \param inOut descriptions of all tensors. Read only 0 to pos: check type and format of pos;
    //!     the preceding ones were already accepted. Dynamic extents are -1.
    //!
    //! \return true to accept. The result must depend only on the arguments and the attributes.
    virtual bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut,
                                           int32_t nbInputs, int32_t nbOutputs) noexcept = 0;

    //! Configures the plugin with types, formats and shapes.
    //!
    //! \param in, out nbInputs and nbOutputs descriptions. At build time, min and max are those of
    //!     the profile. In an execution context, all shapes are the actual ones; it is called
    //!     before the first enqueue() and before each enqueue() after a change of shape.
    virtual void configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                 DynamicPluginTensorDesc const* out,
                                 int32_t nbOutputs) noexcept = 0;

    //! The scratch memory that enqueue() needs, in bytes.
    //!
    //! \param inputs, outputs descriptions with the maximum extents of the profile.
    virtual size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t nbInputs,
                                    PluginTensorDesc const* outputs,
                                    int32_t nbOutputs) const noexcept = 0;

    //! Computes the outputs.
    //!
    //! \param inputDesc, outputDesc the actual shapes, and the selected types and formats.
    //! \param inputs, outputs one address for each tensor, in memory of the target (host memory on
    //!     cpu). Owned by Kiln; they may change with every call.
    //! \param workspace getWorkspaceSize() bytes, aligned to 64 bytes; contents undefined.
    //! \param stream the stream to enqueue work on, on cuda; do not synchronize. Unused on cpu:
    //!     complete the work before returning.
    //!
    //! \return 0 for success; any other value fails the run. Report the reason with
    //!     kilnReportPluginError() (kiln/plugin_error.h).
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, void* workspace,
                            cudaStream_t stream) noexcept = 0;

protected:
    int32_t getTensorRTVersion() const noexcept override {
        return impl::taggedVersion(PluginVersion::kV2_DYNAMICEXT);
    }

    virtual ~IPluginV2DynamicExt() noexcept = default;

    // Base class methods that this interface replaces. They are final, so overriding one is a
    // compile error, and they are never called. They are protected, not private, because existing
    // plugins name them in using-declarations to silence warnings about hidden overloads. GCC warns
    // at the hidden declaration; the pragma silences that.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*,
                         DataType const*, bool const*, bool const*, PluginFormat,
                         int32_t) noexcept final {}
    bool supportsFormat(DataType, PluginFormat) const noexcept final { return false; }
    Dims getOutputDimensions(int32_t, Dims const*, int32_t) noexcept final { return Dims{-1, {}}; }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept final {
        return false;
    }
    bool canBroadcastInputAcrossBatch(int32_t) const noexcept final { return false; }
    size_t getWorkspaceSize(int32_t) const noexcept final { return 0; }
    int32_t enqueue(int32_t, void const* const*, void* const*, void*, cudaStream_t) noexcept final {
        return 1;
    }
#pragma GCC diagnostic pop
};

} // namespace nvinfer1

#pragma GCC visibility pop
