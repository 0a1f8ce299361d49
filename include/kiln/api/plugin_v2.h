// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2: the oldest plugin interface, for fixed shapes and an implicit batch. Kiln continues to
// support this family; use IPluginV3 for new plugins.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_tensor_desc.h"
#include "kiln/api/plugin_versions.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A user-defined layer. Implemented by the user.
//!
//! Shapes omit the batch dimension; the batch size is a separate argument. All networks have
//! explicit dimensions, so Kiln uses the first dimension of every input as the batch. It may be
//! dynamic, must be equal for all inputs, and becomes the first dimension of every output. All
//! other dimensions must be fixed; otherwise querying the output shapes fails. This also applies to
//! IPluginV2Ext and IPluginV2IOExt. At least one input is required.
//!
//! Order of calls. Build: clone, getNbOutputs, getOutputDimensions, supportsFormat,
//! configureWithFormat, getWorkspaceSize, initialize, enqueue (timing), getSerializationSize,
//! serialize, terminate, destroy. Run: IPluginCreator::deserializePlugin, initialize, and clone,
//! enqueue, destroy for each execution context, then terminate, destroy.
//!
//! Calls to one object are never concurrent. Different clones may be called concurrently.
class IPluginV2 {
public:
    //! The version of the headers that the plugin was compiled with, and its generation in the
    //! upper byte (see plugin_versions.h). Do not override it.
    virtual int32_t getTensorRTVersion() const noexcept { return NV_TENSORRT_VERSION; }

    //! The name that the plugin's creator is registered under. Static string.
    virtual AsciiChar const* getPluginType() const noexcept = 0;

    //! The version that the plugin's creator is registered under, usually "1". Static string.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The number of outputs, at least 1. May be called on any object at any time.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! The shape of an output.
    //!
    //! \param index of the output, 0 to getNbOutputs() - 1.
    //! \param inputs nbInputDims shapes, without the batch dimension.
    //!
    //! \return The shape without the batch dimension.
    virtual Dims getOutputDimensions(int32_t index, Dims const* inputs,
                                     int32_t nbInputDims) noexcept = 0;

    //! Whether inputs and outputs may have this type and format. Called only for the formats
    //! kLINEAR, kCHW2 and kHWC8. IPluginV2 has one type for all its tensors.
    virtual bool supportsFormat(DataType type, PluginFormat format) const noexcept = 0;

    //! Configures the plugin with the selected type and format.
    //!
    //! \param inputDims, outputDims nbInputs and nbOutputs shapes, without the batch dimension.
    //! \param type, format of all inputs and outputs; supportsFormat() accepted them.
    //! \param maxBatchSize the maximum batch size of enqueue().
    virtual void configureWithFormat(Dims const* inputDims, int32_t nbInputs,
                                     Dims const* outputDims, int32_t nbOutputs, DataType type,
                                     PluginFormat format, int32_t maxBatchSize) noexcept = 0;

    //! Acquires resources on the target of the engine; terminate() releases them.
    //!
    //! \return 0 for success; any other value fails the build or the loading of the engine.
    virtual int32_t initialize() noexcept = 0;

    //! Releases the resources of initialize(). Called once for every successful initialize().
    virtual void terminate() noexcept = 0;

    //! The scratch memory that enqueue() needs, in bytes, for up to maxBatchSize.
    virtual size_t getWorkspaceSize(int32_t maxBatchSize) const noexcept = 0;

    //! Computes the outputs.
    //!
    //! \param batchSize the extent of the batch dimension, at most the configured maximum.
    //! \param inputs, outputs one address for each tensor, in memory of the target (host memory on
    //!     cpu). Owned by Kiln.
    //! \param workspace getWorkspaceSize() bytes, aligned to 64 bytes; contents undefined.
    //! \param stream the stream to enqueue work on, on cuda. Unused on cpu: complete the work
    //!     before returning.
    //!
    //! \return 0 for success; any other value fails the run. Report the reason with
    //!     kilnReportPluginError() (kiln/plugin_error.h).
    virtual int32_t enqueue(int32_t batchSize, void const* const* inputs, void* const* outputs,
                            void* workspace, cudaStream_t stream) noexcept = 0;

    //! The number of bytes that serialize() writes.
    virtual size_t getSerializationSize() const noexcept = 0;

    //! Writes the state that IPluginCreator::deserializePlugin() needs to recreate the plugin.
    //!
    //! \param buffer getSerializationSize() bytes, possibly unaligned.
    virtual void serialize(void* buffer) const noexcept = 0;

    //! Deletes the object. Kiln destroys each clone and each deserialized plugin. The user keeps
    //! ownership of the object passed to a network.
    virtual void destroy() noexcept = 0;

    //! Returns a new object with the same state (attributes, configuration, namespace). Kiln does
    //! not call initialize() on a clone of an initialized object: it must be ready to run.
    //!
    //! \return nullptr for failure.
    virtual IPluginV2* clone() const noexcept = 0;

    //! Sets the namespace. The string is valid during the call only: copy it.
    virtual void setPluginNamespace(AsciiChar const* pluginNamespace) noexcept = 0;

    //! The namespace; "" if none was set. Never nullptr.
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;

    constexpr IPluginV2() = default;
    virtual ~IPluginV2() noexcept = default;

protected:
    constexpr IPluginV2(IPluginV2 const&) = default;
    constexpr IPluginV2(IPluginV2&&) = default;
    IPluginV2& operator=(IPluginV2 const&) & = default;
    IPluginV2& operator=(IPluginV2&&) & = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
