// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2: the oldest plugin interface, for shapes that are fixed and a batch that is implicit.
// New plugins: IPluginV3. Kiln runs this family through one adapter and means to keep doing so.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/plugin_tensor_desc.h"
#include "kiln/api/plugin_versions.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A layer of the user's own. Implemented by the user.
//!
//! Shapes here leave out the batch dimension, which is the first one of every tensor and travels as
//! a number of its own. In a network with explicit dimensions, as all are today, Kiln takes the
//! first dimension of every input as the batch, which may be dynamic and is the same for all of
//! them; each output gets it as its first dimension. The dimensions behind it must be fixed: a
//! network in which they are not is refused when the outputs' shapes are asked for. This holds for
//! IPluginV2Ext and IPluginV2IOExt too. At least one input is needed.
//!
//! Order of calls. Build: clone, getNbOutputs, getOutputDimensions, supportsFormat,
//! configureWithFormat, getWorkspaceSize, initialize, enqueue (timing), getSerializationSize,
//! serialize, terminate, destroy. Run: IPluginCreator::deserializePlugin, initialize, and clone,
//! enqueue, destroy for each execution context, then terminate, destroy.
//!
//! Calls to one object never overlap. Different clones may be called at the same time.
class IPluginV2 {
public:
    //! The version of the headers that the plugin was compiled with, and its generation in the
    //! upper byte (see plugin_versions.h). Not to be overridden.
    virtual int32_t getTensorRTVersion() const noexcept { return NV_TENSORRT_VERSION; }

    //! The name that the plugin's creator is registered under. Static text.
    virtual AsciiChar const* getPluginType() const noexcept = 0;

    //! The version that the plugin's creator is registered under, usually "1". Static text.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The number of outputs, at least 1. Called on any object, at any time.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! The shape of an output.
    //!
    //! \param index of the output, 0 to getNbOutputs() - 1.
    //! \param inputs nbInputDims shapes, without the batch dimension.
    //!
    //! \return The shape without the batch dimension.
    virtual Dims getOutputDimensions(int32_t index, Dims const* inputs,
                                     int32_t nbInputDims) noexcept = 0;

    //! Whether inputs and outputs may have this type and format. Asked for the formats kLINEAR,
    //! kCHW2 and kHWC8 only; the others came later. IPluginV2 has one type for all its tensors.
    virtual bool supportsFormat(DataType type, PluginFormat format) const noexcept = 0;

    //! Tells the plugin what was chosen.
    //!
    //! \param inputDims, outputDims shapes without the batch dimension, nbInputs and nbOutputs of
    //!     them.
    //! \param type, format of all inputs and outputs; supportsFormat() said true to them.
    //! \param maxBatchSize the largest batch of an enqueue().
    virtual void configureWithFormat(Dims const* inputDims, int32_t nbInputs,
                                     Dims const* outputDims, int32_t nbOutputs, DataType type,
                                     PluginFormat format, int32_t maxBatchSize) noexcept = 0;

    //! Gets resources that live until terminate(), on the target of the engine.
    //!
    //! \return 0 for success; any other value fails the build or the loading of the engine.
    virtual int32_t initialize() noexcept = 0;

    //! Lets go of what initialize() got. Comes once for every initialize() that succeeded.
    virtual void terminate() noexcept = 0;

    //! The scratch memory that enqueue() needs, in bytes, for up to maxBatchSize.
    virtual size_t getWorkspaceSize(int32_t maxBatchSize) const noexcept = 0;

    //! Computes the outputs.
    //!
    //! \param batchSize extent of the batch dimension, at most the configured maximum.
    //! \param inputs, outputs one address for each tensor, in memory of the target (host memory on
    //!     cpu). Owned by Kiln.
    //! \param workspace getWorkspaceSize() bytes, aligned to 64 bytes; contents undefined.
    //! \param stream where the work goes, on cuda. Ignored on cpu: be done on return.
    //!
    //! \return 0 for success; any other value fails the execution. kilnReportPluginError() in
    //!     kiln/plugin_error.h adds words to it.
    virtual int32_t enqueue(int32_t batchSize, void const* const* inputs, void* const* outputs,
                            void* workspace, cudaStream_t stream) noexcept = 0;

    //! The number of bytes that serialize() writes.
    virtual size_t getSerializationSize() const noexcept = 0;

    //! Writes what IPluginCreator::deserializePlugin() needs to make the same plugin again.
    //!
    //! \param buffer getSerializationSize() bytes, with no promise about the alignment.
    virtual void serialize(void* buffer) const noexcept = 0;

    //! Deletes the object. Kiln destroys each clone and each deserialized plugin that it got; the
    //! object that the user made and passed to a network stays the user's.
    virtual void destroy() noexcept = 0;

    //! A new object in the same state (attributes, configuration, namespace), without the resources
    //! of initialize() on build-time clones; a clone of an initialized one is used as it is.
    //!
    //! \return nullptr for failure.
    virtual IPluginV2* clone() const noexcept = 0;

    //! Sets the namespace. The text may go away after the call: keep a copy.
    virtual void setPluginNamespace(AsciiChar const* pluginNamespace) noexcept = 0;

    //! The namespace; "" when none was set. Never nullptr.
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
