// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IExecutionContext: shapes, addresses and memory for running an engine.
#pragma once

#include "kiln/api/allocators.h"
#include "kiln/api/cuda_types.h"
#include "kiln/api/debug_listener.h"
#include "kiln/api/dims.h"
#include "kiln/api/engine_enums.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/output_allocator.h"
#include "kiln/api/profiler.h"
#include "kiln/api/runtime_config.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

class ICudaEngine;

//! One use of an engine: its state belongs to one stream of work. Implemented by Kiln. Made by
//! ICudaEngine::createExecutionContext(), deleted by the user before the engine.
//!
//! To run: a shape for each input that has wildcards, an address for each input and output (an
//! output may have an IOutputAllocator instead), then enqueueV3(). What was set stays set for the
//! next run.
//!
//! Tensors go by name; an unknown name is reported. Addresses are of memory of the target: device
//! memory on cuda, host memory on cpu; for tensors with ICudaEngine::getTensorLocation() kHOST,
//! host memory on both. Objects that are set here must outlive the context or be replaced.
//!
//! For one thread at a time. Different contexts of one engine may run at the same time.
class IExecutionContext : public INoCopy {
public:
    //! Sets whether each step is waited for, and reported, before the next one starts. To find the
    //! step that fails; slow. Default: false.
    virtual void setDebugSync(bool sync) noexcept = 0;

    //! Whether each step is waited for.
    virtual bool getDebugSync() const noexcept = 0;

    //! Sets the profiler that gets the time of each layer in each run; nullptr, the default,
    //! removes it.
    virtual void setProfiler(IProfiler* profiler) noexcept = 0;

    //! The profiler, or nullptr.
    virtual IProfiler* getProfiler() const noexcept = 0;

    //! The engine.
    virtual ICudaEngine const& getEngine() const noexcept = 0;

    //! Names the context, for messages; copied. Default: "".
    virtual void setName(char const* name) noexcept = 0;

    //! The name. Owned by the context, valid until it is set again.
    virtual char const* getName() const noexcept = 0;

    //! As setDeviceMemoryV2(), without a check of the size.
    virtual void setDeviceMemory(void* memory) noexcept = 0;

    //! Gives a context of strategy kUSER_MANAGED the memory for its intermediate tensors.
    //!
    //! \param memory of the target, aligned to 256 bytes; owned by the user, used by no other
    //!     context at the same time, and valid until it is replaced and the last run has ended.
    //! \param size bytes: at least ICudaEngine::getDeviceMemorySizeForProfileV2() of the profile,
    //!     or what updateDeviceMemorySizeForShapes() returned. Too few: reported and not taken.
    virtual void setDeviceMemoryV2(void* memory, int64_t size) noexcept = 0;

    //! The distances between neighbours in each dimension, in elements; of channels in vectors:
    //! from vector to vector. -1 where a shape is not known. Unknown name: nbDims -1.
    virtual Dims getTensorStrides(char const* tensorName) const noexcept = 0;

    //! The profile; 0 until another one is chosen.
    virtual int32_t getOptimizationProfile() const noexcept = 0;

    //! Sets the shape of an input for the next runs.
    //!
    //! \param tensorName name of an input.
    //! \param dims no extent negative, within the profile.
    //!
    //! \return false, with a message, when the name is unknown or the shape is outside the profile;
    //!     the old one then stays.
    //!
    //! Plugins learn of the change in the next enqueueV3(), not here.
    virtual bool setInputShape(char const* tensorName, Dims const& dims) noexcept = 0;

    //! The shape of an input or output: -1 for an extent that is not known, because a shape has not
    //! been set, or because a size tensor decides it. The latter stays -1 after a run: the next run
    //! may find another size. Unknown name: nbDims -1.
    //!
    //! What a run found reaches IOutputAllocator::notifyShape(), and outputs that are size tensors
    //! hold it. kiln::foundShape() gives it, too.
    virtual Dims getTensorShape(char const* tensorName) const noexcept = 0;

    //! Whether every input has a shape without a wildcard.
    virtual bool allInputDimensionsSpecified() const noexcept = 0;

    //! Sets the error recorder, counted; nullptr removes it. Default: that of the engine.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Runs, and waits for the end.
    //!
    //! \param bindings an address for each input and output, in the order of
    //!     ICudaEngine::getIOTensorName(). They are set, as by setTensorAddress().
    //!
    //! \return As enqueueV3(); false also when the work failed after it was enqueued.
    virtual bool executeV2(void* const* bindings) noexcept = 0;

    //! Chooses a profile. Shapes have to be set again.
    //!
    //! \param profileIndex 0 to ICudaEngine::getNbOptimizationProfiles() - 1. Several contexts may
    //!     use one profile.
    //! \param stream where copies go that the change needs, on cuda. The next enqueueV3() must use
    //!     the same stream or wait for it.
    //!
    //! \return false, with a message, when there is no such profile.
    virtual bool setOptimizationProfileAsync(int32_t profileIndex,
                                             cudaStream_t stream) noexcept = 0;

    //! Sets whether enqueueV3() reports to the profiler itself, waiting for the end of the work, or
    //! leaves that to reportToProfiler(). Default: true.
    virtual void setEnqueueEmitsProfile(bool enqueueEmitsProfile) noexcept = 0;

    //! Whether enqueueV3() reports to the profiler.
    virtual bool getEnqueueEmitsProfile() const noexcept = 0;

    //! Reports the last run to the profiler, when enqueueV3() did not.
    //!
    //! \return false, with a message, when there is no profiler, no run, or it was reported.
    virtual bool reportToProfiler() const noexcept = 0;

    //! Sets the address of an input or output.
    //!
    //! \param data of the type, format and shape of the tensor (ICudaEngine::getTensorFormat()),
    //!     aligned to 256 bytes on cuda and to the element on cpu. Must be valid until the run has
    //!     ended. An input is not written to. nullptr removes the address.
    //!
    //! \return false, with a message, when the name is unknown or the memory can not be right. An
    //!     address that is missing is reported by enqueueV3().
    virtual bool setTensorAddress(char const* tensorName, void* data) noexcept = 0;

    //! The address of an input or output; nullptr when none is set or the name is unknown.
    virtual void const* getTensorAddress(char const* tensorName) const noexcept = 0;

    //! As setTensorAddress(), for outputs only.
    virtual bool setOutputTensorAddress(char const* tensorName, void* data) noexcept = 0;

    //! As setTensorAddress(), for inputs only.
    virtual bool setInputTensorAddress(char const* tensorName, void const* data) noexcept = 0;

    //! The address of an output; nullptr when none is set or the name is not that of an output.
    virtual void* getOutputTensorAddress(char const* tensorName) const noexcept = 0;

    //! Computes the shapes of all tensors from what is set, and tells what is missing.
    //!
    //! \param nbMaxNames how many names tensorNames has room for; may be 0.
    //! \param tensorNames gets names of inputs whose shape, or address and values for shape inputs,
    //!     is missing. Owned by the engine. May be nullptr when nbMaxNames is 0.
    //!
    //! \return The number of such inputs, perhaps more than nbMaxNames; 0 when all shapes are
    //!     known; -1, with a message, when what is set contradicts itself.
    virtual int32_t inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept = 0;

    //! The memory for intermediate tensors with the shapes that are set, in bytes. For strategy
    //! kUSER_MANAGED; setDeviceMemoryV2() must follow. 0, with a message, when a shape is missing.
    virtual size_t updateDeviceMemorySizeForShapes() noexcept = 0;

    //! Sets an event that is recorded when the inputs have been read and may be written to again,
    //! on cuda: behind the last layer that reads any. nullptr, the default, removes it.
    //!
    //! \return false, with a message, for an event that can not be used. On cpu an event has no
    //!     effect: inputs are free when the call returns.
    virtual bool setInputConsumedEvent(cudaEvent_t event) noexcept = 0;

    //! The event, or nullptr.
    virtual cudaEvent_t getInputConsumedEvent() const noexcept = 0;

    //! Sets what gives an output its memory; nullptr removes it. It comes before the address.
    //!
    //! \return false, with a message, when the name is not that of an output.
    virtual bool setOutputAllocator(char const* tensorName,
                                    IOutputAllocator* outputAllocator) noexcept = 0;

    //! The allocator of an output, or nullptr.
    virtual IOutputAllocator* getOutputAllocator(char const* tensorName) const noexcept = 0;

    //! The most bytes that an output can need with the shapes that are set; -1, with a message,
    //! when the name is unknown or a shape is missing.
    virtual int64_t getMaxOutputSize(char const* tensorName) const noexcept = 0;

    //! Sets the allocator for memory whose size is known only while the context runs. nullptr, the
    //! default: that of the runtime. Kiln plans all such memory for its largest size: it keeps the
    //! allocator and never calls it.
    //!
    //! \return true.
    virtual bool setTemporaryStorageAllocator(IGpuAllocator* allocator) noexcept = 0;

    //! The allocator for such memory, or nullptr.
    virtual IGpuAllocator* getTemporaryStorageAllocator() const noexcept = 0;

    //! Runs.
    //!
    //! \param stream where the work goes, on cuda; the call need not wait for its end, and memory
    //!     may be changed or freed only after it. On cpu it is ignored, and all is done on return.
    //!
    //! On cuda it waits for nothing but a size that a plugin finds out, where a later layer, an
    //! output allocator or a debug listener needs it; a profiler that reports each run; and, with
    //! setDebugSync() or KILN_SYNC=1, each layer. Shape inputs are read before it returns. An error
    //! of work that was started earlier may turn up here; executeV2() tells of its own.
    //!
    //! The stream may be capturing. What would have to wait then fails with a message, before
    //! anything is recorded, and so does a plugin that does what can not be recorded. Values of
    //! shapes that changed are brought to the device by an ordinary run before.
    //!
    //! \return false, with the reason in the log and the error recorder: a shape or an address that
    //!     is missing, an allocator or a plugin that failed. The contents of outputs
    //!     are then undefined, and the context can be used again.
    virtual bool enqueueV3(cudaStream_t stream) noexcept = 0;

    //! Sets how much of the device's cache may be set aside for this context, in bytes. A hint for
    //! cuda. Default: 0.
    virtual void setPersistentCacheLimit(size_t size) noexcept = 0;

    //! The part of the cache, in bytes.
    virtual size_t getPersistentCacheLimit() const noexcept = 0;

    //! Sets how much is told to tools that trace programs.
    //!
    //! \return false, with a message, for more than the engine was built with.
    virtual bool setNvtxVerbosity(ProfilingVerbosity verbosity) noexcept = 0;

    //! How much is told to such tools. Default: that of the engine.
    virtual ProfilingVerbosity getNvtxVerbosity() const noexcept = 0;

    //! Sets streams that run side by side with the one of enqueueV3(), on cuda.
    //!
    //! \param auxStreams nbStreams streams; the array is copied. With fewer than
    //!     ICudaEngine::getNbAuxStreams() the context makes the rest.
    virtual void setAuxStreams(cudaStream_t* auxStreams, int32_t nbStreams) noexcept = 0;

    //! Sets the listener that gets the values of debug tensors; nullptr, the default, removes it.
    //!
    //! \return true.
    virtual bool setDebugListener(IDebugListener* listener) noexcept = 0;

    //! The listener, or nullptr.
    virtual IDebugListener* getDebugListener() noexcept = 0;

    //! Switches a debug tensor on or off. Default: off.
    //!
    //! \return false, with a message, when it is not a debug tensor.
    virtual bool setTensorDebugState(char const* name, bool flag) noexcept = 0;

    //! Whether a debug tensor is on; false for any other tensor.
    virtual bool getDebugState(char const* name) const noexcept = 0;

    //! The choices that the context was made with. Owned by whoever made them.
    virtual IRuntimeConfig* getRuntimeConfig() const noexcept = 0;

    //! Switches all debug tensors. \return true.
    virtual bool setAllTensorsDebugState(bool flag) noexcept = 0;

    //! Switches all debug tensors, as setAllTensorsDebugState() does: a plan does not record which of
    //! them INetworkDefinition::markUnfusedTensorsAsDebugTensors() marked. Default: off. \return true.
    virtual bool setUnfusedTensorsDebugState(bool flag) noexcept = 0;

    //! Whether those are on.
    virtual bool getUnfusedTensorsDebugState() const noexcept = 0;

    //! Sets the communicator, an ncclComm_t, of layers that span several devices.
    //!
    //! \return false, with a message: Kiln has no such layers.
    virtual bool setCommunicator(void* communicator) noexcept = 0;

    ~IExecutionContext() noexcept override = default;

    //! Whether every shape input has its values. As inferShapes() tells, too.
    TRT_DEPRECATED virtual bool allInputShapesSpecified() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
