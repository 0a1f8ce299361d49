// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ICudaEngine: a network that is ready to run.
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/engine_enums.h"
#include "kiln/api/engine_inspector.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/execution_context.h"
#include "kiln/api/host_memory.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/optimization_profile.h"
#include "kiln/api/runtime_config.h"
#include "kiln/api/serialization_config.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/tensor_format.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

enum class HardwareCompatibilityLevel : int32_t;

//! An engine: kernels, weights, and the shapes that they are made for. Implemented by Kiln, on
//! every target. Made by IRuntime::deserializeCudaEngine() or kiln::openEngine(), deleted by the
//! user after its contexts and before the runtime.
//!
//! Tensors go by name. Functions that take the name of an input or output report an unknown one and
//! return the value that their description gives for it. Functions with a profileIndex take 0 to
//! getNbOptimizationProfiles() - 1; without one they mean profile 0. Texts that are returned belong
//! to the engine and stay valid as long as it.
//!
//! Several threads may use an engine at the same time, each with contexts of its own.
class ICudaEngine : public INoCopy {
public:
    //! The shape of an input or output; -1 where it depends on the shapes of a run. Unknown name:
    //! nbDims -1.
    virtual Dims getTensorShape(char const* tensorName) const noexcept = 0;

    //! The type of an input or output. Unknown name: kFLOAT.
    virtual DataType getTensorDataType(char const* tensorName) const noexcept = 0;

    //! The number of layers, as engine inspectors and profilers count them. Not that of the
    //! network: the compiler merges, removes and inserts layers.
    virtual int32_t getNbLayers() const noexcept = 0;

    //! Writes the engine as a plan.
    //!
    //! \return The plan, which the caller deletes; nullptr for failure.
    virtual IHostMemory* serialize() const noexcept = 0;

    //! Makes a context to run the engine in.
    //!
    //! \param strategy when it gets its memory.
    //!
    //! \return The context, which the caller deletes before the engine; nullptr, with a message,
    //!     when memory is short or a plugin fails.
    //!
    //! A context starts with profile 0; see IExecutionContext::setOptimizationProfileAsync().
    virtual IExecutionContext* createExecutionContext(
        ExecutionContextAllocationStrategy strategy =
            ExecutionContextAllocationStrategy::kSTATIC) noexcept = 0;

    //! Which memory an input or output must be in: kHOST for shape tensors, else kDEVICE. Unknown
    //! name: kDEVICE.
    virtual TensorLocation getTensorLocation(char const* tensorName) const noexcept = 0;

    //! True for an input whose values shapes depend on, and for an output that holds a shape. Such
    //! an input must have its address, and its values, before shapes are inferred.
    virtual bool isShapeInferenceIO(char const* tensorName) const noexcept = 0;

    //! Whether a tensor is an input or an output. Unknown name: kNONE.
    virtual TensorIOMode getTensorIOMode(char const* tensorName) const noexcept = 0;

    //! The input that must be bound to the same address as an output; nullptr when there is none.
    virtual char const* getAliasedInputTensor(char const* tensorName) const noexcept = 0;

    //! Makes a context with choices of its own. As the other overload.
    //!
    //! \param runtimeConfig from createRuntimeConfig(); must outlive the context.
    virtual IExecutionContext* createExecutionContext(IRuntimeConfig* runtimeConfig) noexcept = 0;

    //! Makes the object with the choices for contexts, which the caller deletes.
    virtual IRuntimeConfig* createRuntimeConfig() noexcept = 0;

    //! The memory for intermediate tensors that a context needs, in bytes, at most over all
    //! profiles.
    virtual int64_t getDeviceMemorySizeV2() const noexcept = 0;

    //! The same for one profile. Profile out of range: 0.
    virtual int64_t getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept = 0;

    //! Whether weights can be replaced by an IRefitter.
    virtual bool isRefittable() const noexcept = 0;

    //! The bytes of one component of a vectorized format, that is, of one element. -1 for a format
    //! that is not vectorized and for an unknown name.
    virtual int32_t getTensorBytesPerComponent(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorBytesPerComponent(char const* tensorName,
                                               int32_t profileIndex) const noexcept = 0;

    //! The length of the vectors of a vectorized format, e.g. 4 for kCHW4. -1 for a format that is
    //! not vectorized and for an unknown name.
    virtual int32_t getTensorComponentsPerElement(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorComponentsPerElement(char const* tensorName,
                                                  int32_t profileIndex) const noexcept = 0;

    //! The format of an input or output. Unknown name: kLINEAR.
    virtual TensorFormat getTensorFormat(char const* tensorName) const noexcept = 0;
    virtual TensorFormat getTensorFormat(char const* tensorName,
                                         int32_t profileIndex) const noexcept = 0;

    //! Type and format in words, for people. Unknown name: an empty text.
    virtual char const* getTensorFormatDesc(char const* tensorName) const noexcept = 0;
    virtual char const* getTensorFormatDesc(char const* tensorName,
                                            int32_t profileIndex) const noexcept = 0;

    //! The dimension that a vectorized format packs. -1 for a format that is not vectorized and for
    //! an unknown name.
    virtual int32_t getTensorVectorizedDim(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorVectorizedDim(char const* tensorName,
                                           int32_t profileIndex) const noexcept = 0;

    //! The name of the network, "" when it had none.
    virtual char const* getName() const noexcept = 0;

    //! The number of profiles, at least 1.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;

    //! One of the three shapes of an input in a profile. nbDims -1 for an unknown name, an output,
    //! or a profile out of range.
    virtual Dims getProfileShape(char const* tensorName, int32_t profileIndex,
                                 OptProfileSelector select) const noexcept = 0;

    //! What the engine was restricted to when it was built.
    virtual EngineCapability getEngineCapability() const noexcept = 0;

    //! Sets the error recorder, counted; nullptr removes it. Default: that of the runtime. Contexts
    //! made from now on start with it.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! The sources of kernels that were allowed when the engine was built.
    virtual TacticSources getTacticSources() const noexcept = 0;

    //! How much the engine remembers about its layers.
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;

    //! Makes an inspector, which the caller deletes before the engine.
    virtual IEngineInspector* createEngineInspector() const noexcept = 0;

    //! The number of inputs and outputs together.
    virtual int32_t getNbIOTensors() const noexcept = 0;

    //! The name of an input or output.
    //!
    //! \param index 0 to getNbIOTensors() - 1: the inputs, then the outputs, each in the order of
    //!     the network. Outside: nullptr, with a message.
    virtual char const* getIOTensorName(int32_t index) const noexcept = 0;

    //! Which other devices the engine was built to run on as well.
    virtual HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept = 0;

    //! How many streams beside the main one the engine uses; 0 on cpu.
    virtual int32_t getNbAuxStreams() const noexcept = 0;

    //! Makes the object with the choices for a plan, which the caller deletes.
    virtual ISerializationConfig* createSerializationConfig() noexcept = 0;

    //! Writes the engine as a plan with choices. As serialize() otherwise.
    virtual IHostMemory* serializeWithConfig(ISerializationConfig& config) const noexcept = 0;

    //! The size of the weights that could be kept off the device and streamed to it, in bytes; 0
    //! when the engine was not built for that.
    virtual int64_t getStreamableWeightsSize() const noexcept = 0;

    //! Sets how much device memory the streamable weights may take.
    //!
    //! \param gpuMemoryBudget bytes, 0 to getStreamableWeightsSize(); the latter streams nothing.
    //!
    //! \return false, with a message, out of range, without streamable weights, or while contexts
    //!     exist.
    virtual bool setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept = 0;

    //! The budget; 0 without streamable weights. Default: getStreamableWeightsSize().
    virtual int64_t getWeightStreamingBudgetV2() const noexcept = 0;

    //! A budget that suits the free memory of the device; 0 without streamable weights.
    virtual int64_t getWeightStreamingAutomaticBudget() const noexcept = 0;

    //! The scratch memory that streaming needs under the present budget, in bytes. Part of what
    //! getDeviceMemorySizeV2() returns.
    virtual int64_t getWeightStreamingScratchMemorySize() const noexcept = 0;

    //! Whether a tensor was marked with INetworkDefinition::markDebug().
    virtual bool isDebugTensor(char const* name) const noexcept = 0;

    //! One of the three lists of values of a shape input in a profile; nullptr for an unknown name,
    //! a tensor that is not a shape input, or a profile out of range. Owned by the engine.
    virtual int64_t const* getProfileTensorValuesV2(char const* tensorName, int32_t profileIndex,
                                                    OptProfileSelector select) const noexcept = 0;

    //! A figure about the engine; -1, with a message, when it is not known.
    virtual int64_t getEngineStat(EngineStat stat) const noexcept = 0;

    ~ICudaEngine() noexcept override = default;

    //! Makes a context that waits for setDeviceMemoryV2(), as strategy kUSER_MANAGED does.
    TRT_DEPRECATED virtual IExecutionContext*
    createExecutionContextWithoutDeviceMemory() noexcept = 0;

    //! As getDeviceMemorySizeV2().
    TRT_DEPRECATED virtual size_t getDeviceMemorySize() const noexcept = 0;

    //! As getDeviceMemorySizeForProfileV2().
    TRT_DEPRECATED virtual size_t getDeviceMemorySizeForProfile(
        int32_t profileIndex) const noexcept = 0;

    //! As getProfileTensorValuesV2(), with 32 bits; nullptr also when a value does not fit.
    TRT_DEPRECATED virtual int32_t const* getProfileTensorValues(
        char const* tensorName, int32_t profileIndex, OptProfileSelector select) const noexcept = 0;

    //! false: every network has explicit dimensions.
    TRT_DEPRECATED virtual bool hasImplicitBatchDimension() const noexcept = 0;

    //! As setWeightStreamingBudgetV2(); here -1 chooses the automatic budget and 0 streams nothing.
    TRT_DEPRECATED virtual bool setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept = 0;

    //! The budget as setWeightStreamingBudget() took it.
    TRT_DEPRECATED virtual int64_t getWeightStreamingBudget() const noexcept = 0;

    //! The least budget; 0.
    TRT_DEPRECATED virtual int64_t getMinimumWeightStreamingBudget() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
