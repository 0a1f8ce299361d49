// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2Ext: IPluginV2 with a separate type for each output.
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/plugin_v2.h"

struct cudnnContext;
struct cublasContext;

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! An IPluginV2 that selects the type of each output. Implemented by the user.
//!
//! configurePlugin() replaces configureWithFormat(). attachToContext() is called on each clone for
//! an execution context, and detachFromContext() before that clone is destroyed.
class IPluginV2Ext : public IPluginV2 {
public:
    //! The type of an output.
    //!
    //! \param index of the output, 0 to getNbOutputs() - 1.
    //! \param inputTypes the types of the nbInputs inputs.
    virtual DataType getOutputDataType(int32_t index, DataType const* inputTypes,
                                       int32_t nbInputs) const noexcept = 0;

    //! Configures the plugin with the selected types and format.
    //!
    //! \param inputDims, outputDims nbInputs and nbOutputs shapes, without the batch dimension.
    //! \param inputTypes, outputTypes the types of the tensors.
    //! \param inputIsBroadcast, outputIsBroadcast always false: Kiln does not broadcast over the
    //!     batch.
    //! \param floatFormat the format of all inputs and outputs.
    //! \param maxBatchSize the maximum batch size of enqueue().
    virtual void configurePlugin(Dims const* inputDims, int32_t nbInputs, Dims const* outputDims,
                                 int32_t nbOutputs, DataType const* inputTypes,
                                 DataType const* outputTypes, bool const* inputIsBroadcast,
                                 bool const* outputIsBroadcast, PluginFormat floatFormat,
                                 int32_t maxBatchSize) noexcept = 0;

    constexpr IPluginV2Ext() = default;
    ~IPluginV2Ext() noexcept override = default;

    //! Passes the resources of an execution context to its clone, before the first enqueue().
    //!
    //! The arguments are a cuDNN handle and a cuBLAS handle, both always nullptr, and the allocator
    //! of the context, valid until detachFromContext().
    virtual void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept {}

    //! Called after the last enqueue(); the resources are then invalid.
    virtual void detachFromContext() noexcept {}

    //! See IPluginV2::clone().
    IPluginV2Ext* clone() const noexcept override = 0;

    //! Whether an output is the same for the whole batch and has no batch dimension. Must return
    //! false: every output has the batch dimension.
    virtual bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept {
        return false;
    }

    //! Whether an input may be shared by the whole batch. Not called.
    virtual bool canBroadcastInputAcrossBatch(int32_t) const noexcept { return false; }

protected:
    constexpr IPluginV2Ext(IPluginV2Ext const&) = default;
    constexpr IPluginV2Ext(IPluginV2Ext&&) = default;
    IPluginV2Ext& operator=(IPluginV2Ext const&) & = default;
    IPluginV2Ext& operator=(IPluginV2Ext&&) & = default;

    int32_t getTensorRTVersion() const noexcept override {
        return impl::taggedVersion(PluginVersion::kV2_EXT);
    }

    //! Superseded by configurePlugin(); not called.
    void configureWithFormat(Dims const*, int32_t, Dims const*, int32_t, DataType, PluginFormat,
                             int32_t) noexcept override {}
};

} // namespace nvinfer1

#pragma GCC visibility pop
