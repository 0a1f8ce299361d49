// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2DynamicExt: a plugin for dynamic shapes, of the older style.
#pragma once

#include "kiln/api/dimension_expr.h"
#include "kiln/api/plugin_v2_ext.h"

#pragma GCC visibility push(default)

#ifdef __CUDACC__
// nvcc warns in every plugin that the old overloads of the base classes are hidden, which is what
// this interface is for, and no declaration here can prevent that. A plugin can have the warning
// back by `#pragma nv_diag_default 997`.
#pragma nv_diag_suppress 997
#endif

namespace nvinfer1 {

//! A layer of the user's own whose shapes may change from run to run. Implemented by the user.
//!
//! Shapes are complete here; there is no batch dimension apart. Life of the objects:
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
//! loading an engine       deserializePlugin -> E; E: clone -> asked as B, destroy; E: initialize
//! making a context        E: clone -> C; C: attachToContext
//! the first enqueueV3,    C: configurePlugin (desc, min, opt and max all the real extents)
//!   and after a change
//! every enqueueV3         C: enqueue
//! deleting the context    C: detachFromContext, destroy
//! deleting the engine     E: terminate, destroy
//! ```
//!
//! Each clone gets exactly one destroy. How often formats and workspace are asked for may vary.
//! A clone must carry everything over that the later calls need: attributes, namespace, what
//! configurePlugin() stored, and what initialize() got (shared, or got again).
//!
//! The old methods of IPluginV2 and IPluginV2Ext that this interface replaces are closed below.
//! Calls to one object never overlap; calls to different clones may.
class IPluginV2DynamicExt : public IPluginV2Ext {
public:
    //! See IPluginV2::clone().
    IPluginV2DynamicExt* clone() const noexcept override = 0;

    //! The shape of an output as expressions over the shapes of the inputs.
    //!
    //! \param outputIndex 0 to getNbOutputs() - 1.
    //! \param inputs the shapes of the nbInputs inputs; each extent is an expression, constant or
    //!     not.
    //! \param exprBuilder makes expressions; use it during this call only.
    //!
    //! \return The shape. All expressions in it must come from inputs or exprBuilder; a null one
    //!     fails the build. nbDims must not depend on values of extents.
    //!
    //! Called when the network asks for the output's shape, and again for each build.
    virtual DimsExprs getOutputDimensions(int32_t outputIndex, DimsExprs const* inputs,
                                          int32_t nbInputs, IExprBuilder& exprBuilder) noexcept = 0;

    //! How many combinations of types and formats Kiln tries at most.
    static constexpr int32_t kFORMAT_COMBINATION_LIMIT = 100;

    //! Whether tensor pos may have its type and format, given those of the tensors before it.
    //!
    //! \param pos 0 to nbInputs + nbOutputs - 1: the inputs, then the outputs.
    //! \param inOut descriptions of all tensors. Only 0 to pos may be looked at; of pos itself ask
    //!     type and format, of the earlier ones that they were accepted. Extents that vary are -1.
    //!
    //! \return true to accept. The answer depends on the arguments and attributes alone.
    virtual bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut,
                                           int32_t nbInputs, int32_t nbOutputs) noexcept = 0;

    //! Tells the plugin the types, formats and shapes to come.
    //!
    //! \param in, out nbInputs and nbOutputs descriptions. While building, min and max are those of
    //!     the profile. On an execution context, all extents are the real ones, and the call comes
    //!     before the first enqueue() and before each enqueue() that follows a change of shape.
    virtual void configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                                 DynamicPluginTensorDesc const* out,
                                 int32_t nbOutputs) noexcept = 0;

    //! The scratch memory that enqueue() needs, in bytes.
    //!
    //! \param inputs, outputs descriptions with the largest extents that the profile allows.
    virtual size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t nbInputs,
                                    PluginTensorDesc const* outputs,
                                    int32_t nbOutputs) const noexcept = 0;

    //! Computes the outputs.
    //!
    //! \param inputDesc, outputDesc the real shapes, and the types and formats chosen.
    //! \param inputs, outputs one address for each tensor, in memory of the target (host memory on
    //!     cpu). Owned by Kiln; they may differ at every call.
    //! \param workspace getWorkspaceSize() bytes, aligned to 64 bytes; contents undefined.
    //! \param stream where the work goes, on cuda: wait for nothing, return at once. Ignored on
    //!     cpu: be done on return.
    //!
    //! \return 0 for success; any other value fails the execution. kilnReportPluginError() in
    //!     kiln/plugin_error.h adds words to it.
    virtual int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                            void const* const* inputs, void* const* outputs, void* workspace,
                            cudaStream_t stream) noexcept = 0;

protected:
    int32_t getTensorRTVersion() const noexcept override {
        return impl::taggedVersion(PluginVersion::kV2_DYNAMICEXT);
    }

    virtual ~IPluginV2DynamicExt() noexcept = default;

    // Methods of the base classes that this interface replaces. They are closed, so that a plugin
    // which still overrides one is told by the compiler, and never called. Protected, not private:
    // older plugins silence warnings about hidden overloads by using-declarations that name them.
    // GCC gives such a warning at the hidden declaration, so these lines silence it.
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
