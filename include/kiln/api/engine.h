// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ICudaEngine: a compiled network.
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

//! An engine: kernels, weights and optimization profiles. Implemented by Kiln, for every target.
//! Created by IRuntime::deserializeCudaEngine() or kiln::openEngine(), deleted by the user after
//! its contexts and before the runtime.
//!
//! Tensors are identified by name. Functions that take the name of an input or output report an
//! unknown name and return the value stated in their description. A profileIndex is 0 to
//! getNbOptimizationProfiles() - 1; functions without one use profile 0. Returned strings belong to
//! the engine and stay valid as long as it exists.
//!
//! Several threads may use an engine concurrently, each with its own contexts.
class ICudaEngine : public INoCopy {
public:
    //! The shape of an input or output; -1 for an extent that is known only at run time. Unknown
    //! name: nbDims -1.
    virtual Dims getTensorShape(char const* tensorName) const noexcept = 0;

    //! The type of an input or output. Unknown name: kFLOAT.
    virtual DataType getTensorDataType(char const* tensorName) const noexcept = 0;

    //! The number of layers, as in engine inspectors and profilers. It differs from that of the
    //! network: the compiler merges, removes and inserts layers.
    virtual int32_t getNbLayers() const noexcept = 0;

    //! Serializes the engine as a plan.
    //!
    //! \return The plan, which the caller deletes; nullptr for failure.
    virtual IHostMemory* serialize() const noexcept = 0;

    //! Creates an execution context.
    //!
    //! \param strategy when the context allocates its memory. Kiln treats kON_PROFILE_CHANGE as
    //!     kSTATIC.
    //!
    //! \return The context, which the caller deletes before the engine; nullptr, with a message,
    //!     when memory is exhausted or a plugin fails.
    //!
    //! A context starts with profile 0. See IExecutionContext::setOptimizationProfileAsync().
    virtual IExecutionContext* createExecutionContext(
        ExecutionContextAllocationStrategy strategy =
            ExecutionContextAllocationStrategy::kSTATIC) noexcept = 0;

    //! The memory that an input or output must be in: kHOST for shape tensors, else kDEVICE.
    //! Unknown name: kDEVICE.
    virtual TensorLocation getTensorLocation(char const* tensorName) const noexcept = 0;

    //! True for an input whose values determine shapes, and for an output marked by
    //! markOutputForShapes(). Such an input needs its address and its values before shapes are
    //! inferred.
    virtual bool isShapeInferenceIO(char const* tensorName) const noexcept = 0;

    //! Whether a tensor is an input or an output. Unknown name: kNONE.
    virtual TensorIOMode getTensorIOMode(char const* tensorName) const noexcept = 0;

    //! The input that an output updates in place if both are bound to one address: the cache of an
    //! IKVCacheUpdateLayer. At another address, the cache is copied first. nullptr for all others.
    virtual char const* getAliasedInputTensor(char const* tensorName) const noexcept = 0;

    //! Creates a context with a configuration. Otherwise like the other overload.
    //!
    //! \param runtimeConfig from createRuntimeConfig(); must outlive the context.
    virtual IExecutionContext* createExecutionContext(IRuntimeConfig* runtimeConfig) noexcept = 0;

    //! Creates a configuration for contexts, which the caller deletes.
    virtual IRuntimeConfig* createRuntimeConfig() noexcept = 0;

    //! The memory for intermediate tensors that a context needs, in bytes: the maximum over all
    //! profiles.
    virtual int64_t getDeviceMemorySizeV2() const noexcept = 0;

    //! The memory that suffices in one profile. 0, with a message, for an unknown profile.
    virtual int64_t getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept = 0;

    //! Whether an IRefitter can replace weights.
    virtual bool isRefittable() const noexcept = 0;

    //! The size of one element in bytes. Unknown name: -1.
    virtual int32_t getTensorBytesPerComponent(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorBytesPerComponent(char const* tensorName,
                                               int32_t profileIndex) const noexcept = 0;

    //! The vector length of a vectorized format, e.g. 4 for kCHW4; 1 for other formats. Unknown
    //! name: -1.
    virtual int32_t getTensorComponentsPerElement(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorComponentsPerElement(char const* tensorName,
                                                  int32_t profileIndex) const noexcept = 0;

    //! The format of an input or output. Unknown name: kLINEAR.
    virtual TensorFormat getTensorFormat(char const* tensorName) const noexcept = 0;
    virtual TensorFormat getTensorFormat(char const* tensorName,
                                         int32_t profileIndex) const noexcept = 0;

    //! A description of the format, for people to read. Unknown name: an empty string.
    virtual char const* getTensorFormatDesc(char const* tensorName) const noexcept = 0;
    virtual char const* getTensorFormatDesc(char const* tensorName,
                                            int32_t profileIndex) const noexcept = 0;

    //! The dimension that a vectorized format packs. -1 for other formats and for an unknown name.
    virtual int32_t getTensorVectorizedDim(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorVectorizedDim(char const* tensorName,
                                           int32_t profileIndex) const noexcept = 0;

    //! The name of the network, "" if it has none.
    virtual char const* getName() const noexcept = 0;

    //! The number of profiles, at least 1.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;

    //! One of the three shapes of an input in a profile. For a tensor without a range in the
    //! profile: getTensorShape(). nbDims -1 for an unknown name or a profile out of range.
    virtual Dims getProfileShape(char const* tensorName, int32_t profileIndex,
                                 OptProfileSelector select) const noexcept = 0;

    //! The capability that the engine was built for: kSTANDARD.
    virtual EngineCapability getEngineCapability() const noexcept = 0;

    //! Sets the error recorder and adds a reference to it; nullptr removes it. Default: that of the
    //! runtime. Contexts created later use it by default.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! The tactic sources that the engine was built with. Kiln does not store them: always 0.
    virtual TacticSources getTacticSources() const noexcept = 0;

    //! How much information about layers the engine holds.
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;

    //! Creates an inspector, which the caller deletes before the engine.
    virtual IEngineInspector* createEngineInspector() const noexcept = 0;

    //! The number of inputs and outputs together.
    virtual int32_t getNbIOTensors() const noexcept = 0;

    //! The name of an input or output.
    //!
    //! \param index 0 to getNbIOTensors() - 1: the inputs, then the outputs, each in the order of
    //!     the network. Outside: nullptr, with a message.
    virtual char const* getIOTensorName(int32_t index) const noexcept = 0;

    //! The hardware compatibility level that the engine was built with.
    virtual HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept = 0;

    //! The number of auxiliary streams that the engine uses. Always 0.
    virtual int32_t getNbAuxStreams() const noexcept = 0;

    //! Creates a configuration for serializeWithConfig(), which the caller deletes.
    virtual ISerializationConfig* createSerializationConfig() noexcept = 0;

    //! Like serialize(), with a configuration. Without SerializationFlag::kEXCLUDE_WEIGHTS, an
    //! engine that still lacks weights cannot be serialized: returns nullptr, with a message.
    virtual IHostMemory* serializeWithConfig(ISerializationConfig& config) const noexcept = 0;

    //! The size of the weights that can be streamed to the device, in bytes. 0 if the engine was
    //! built without BuilderFlag::kWEIGHT_STREAMING.
    virtual int64_t getStreamableWeightsSize() const noexcept = 0;

    //! Sets how much device memory the streamable weights may use. The others are copied to the
    //! device in each run; results do not change. Weights are placed when the first context is
    //! made. On the target cpu, kernels read weights in the plan, and the budget is only kept.
    //!
    //! \param gpuMemoryBudget bytes, 0 or more. getStreamableWeightsSize() and more: nothing is
    //!     streamed, which is the default.
    //!
    //! \return false, with a message, for a negative budget, for an engine that was built without
    //!     BuilderFlag::kWEIGHT_STREAMING, and while there is a context.
    virtual bool setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept = 0;

    //! The weight streaming budget; getStreamableWeightsSize() if nothing is streamed.
    virtual int64_t getWeightStreamingBudgetV2() const noexcept = 0;

    //! A budget for setWeightStreamingBudgetV2() that fits the free memory of the device.
    virtual int64_t getWeightStreamingAutomaticBudget() const noexcept = 0;

    //! The scratch memory that each context needs for the current budget, in bytes. It is part of
    //! getDeviceMemorySizeV2().
    virtual int64_t getWeightStreamingScratchMemorySize() const noexcept = 0;

    //! Whether a tensor was marked with INetworkDefinition::markDebug().
    virtual bool isDebugTensor(char const* name) const noexcept = 0;

    //! One of the three lists of values of a shape input in a profile; nullptr for an unknown name,
    //! a tensor that is not a shape input, or a profile out of range. Owned by the engine.
    virtual int64_t const* getProfileTensorValuesV2(char const* tensorName, int32_t profileIndex,
                                                    OptProfileSelector select) const noexcept = 0;

    //! A statistic of the engine; see EngineStat.
    virtual int64_t getEngineStat(EngineStat stat) const noexcept = 0;

    ~ICudaEngine() noexcept override = default;

    //! Creates a context with strategy kUSER_MANAGED: set its memory with setDeviceMemoryV2().
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

    //! Always false: every network has explicit dimensions.
    TRT_DEPRECATED virtual bool hasImplicitBatchDimension() const noexcept = 0;

    //! As setWeightStreamingBudgetV2(), but the budget counts the scratch memory of a context:
    //! getMinimumWeightStreamingBudget() or more. 0: nothing is streamed. -1: all weights stay on
    //! the device if they fit when the first context is made, else none.
    TRT_DEPRECATED virtual bool setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept = 0;

    //! The budget as setWeightStreamingBudget() takes it.
    TRT_DEPRECATED virtual int64_t getWeightStreamingBudget() const noexcept = 0;

    //! The smallest budget that setWeightStreamingBudget() takes beside 0 and -1.
    TRT_DEPRECATED virtual int64_t getMinimumWeightStreamingBudget() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
