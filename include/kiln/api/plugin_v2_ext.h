// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2Ext: IPluginV2 with a type of its own for each output.
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/plugin_v2.h"

struct cudnnContext;
struct cublasContext;

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! An IPluginV2 that chooses the type of each output and may broadcast over the batch. Implemented
//! by the user.
//!
//! configurePlugin() takes the place of configureWithFormat(); attachToContext() follows each clone
//! that an execution context makes, and detachFromContext() comes before that clone is destroyed.
class IPluginV2Ext : public IPluginV2 {
public:
    //! The type of an output.
    //!
    //! \param index of the output, 0 to getNbOutputs() - 1.
    //! \param inputTypes the types of the nbInputs inputs.
    virtual DataType getOutputDataType(int32_t index, DataType const* inputTypes,
                                       int32_t nbInputs) const noexcept = 0;

    //! Tells the plugin what was chosen.
    //!
    //! \param inputDims, outputDims shapes without the batch dimension, nbInputs and nbOutputs.
    //! \param inputTypes, outputTypes the type of each.
    //! \param inputIsBroadcast, outputIsBroadcast always false: Kiln broadcasts nothing over the
    //!     batch.
    //! \param floatFormat the format of all inputs and outputs.
    //! \param maxBatchSize the largest batch of an enqueue().
    virtual void configurePlugin(Dims const* inputDims, int32_t nbInputs, Dims const* outputDims,
                                 int32_t nbOutputs, DataType const* inputTypes,
                                 DataType const* outputTypes, bool const* inputIsBroadcast,
                                 bool const* outputIsBroadcast, PluginFormat floatFormat,
                                 int32_t maxBatchSize) noexcept = 0;

    constexpr IPluginV2Ext() = default;
    ~IPluginV2Ext() noexcept override = default;

    //! Gives the clone of an execution context the context's resources, before the first enqueue().
    //!
    //! The arguments are a cuDNN handle and a cuBLAS handle, which Kiln leaves nullptr, and the
    //! allocator of the context, which stays valid until detachFromContext().
    virtual void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept {}

    //! Takes the resources back, after the last enqueue().
    virtual void detachFromContext() noexcept {}

    //! See IPluginV2::clone().
    IPluginV2Ext* clone() const noexcept override = 0;

    //! Whether an output is the same for the whole batch and has no batch dimension. A relic of the
    //! implicit batch: every output has that dimension now, so a plugin that says true is refused.
    virtual bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept {
        return false;
    }

    //! Whether an input may be the same for the whole batch without being copied. Not asked.
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
