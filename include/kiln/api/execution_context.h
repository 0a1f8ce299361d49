// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IExecutionContext: the shapes, addresses and memory of a run.
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

//! The state for running an engine on one stream at a time. Implemented by Kiln. Created by
//! ICudaEngine::createExecutionContext(), deleted by the user before the engine.
//!
//! To run, set a shape for each input with wildcards and an address for each input and output (or
//! an IOutputAllocator for an output), then call enqueueV3(). Settings persist for later runs.
//!
//! Tensors are identified by name; an unknown name is reported. Addresses point to memory of the
//! target: device memory on cuda, host memory on cpu. Tensors with ICudaEngine::getTensorLocation()
//! kHOST use host memory on both. Objects that are set here must outlive the context or be
//! replaced.
//!
//! Not thread-safe. Different contexts of one engine may run concurrently.
class IExecutionContext : public INoCopy {
public:
    //! Sets whether the run waits for each layer and reports its errors before the next one starts.
    //! Slow; use it to find the layer that fails. Default: false.
    virtual void setDebugSync(bool sync) noexcept = 0;

    //! Whether the run waits for each layer.
    virtual bool getDebugSync() const noexcept = 0;

    //! Sets the profiler, which receives the time of each layer in each run; nullptr, the default,
    //! removes it.
    virtual void setProfiler(IProfiler* profiler) noexcept = 0;

    //! The profiler, or nullptr.
    virtual IProfiler* getProfiler() const noexcept = 0;

    //! The engine.
    virtual ICudaEngine const& getEngine() const noexcept = 0;

    //! Sets the name of the context; copied. Default: "".
    virtual void setName(char const* name) noexcept = 0;

    //! The name. Owned by the context, valid until the name changes.
    virtual char const* getName() const noexcept = 0;

    //! As setDeviceMemoryV2(), of unknown size: each run uses as little as its shapes allow.
    virtual void setDeviceMemory(void* memory) noexcept = 0;

    //! Sets the memory for intermediate tensors, for a context with strategy kUSER_MANAGED.
    //!
    //! \param memory of the target, aligned to 256 bytes. Owned by the user; no other context may
    //!     use it at the same time. Must stay valid until it is replaced and the last run that uses
    //!     it has ended.
    //! \param size bytes, enough for the current shapes, or for the profile if they are not known.
    //!     A smaller size is reported, and the memory is not used.
    virtual void setDeviceMemoryV2(void* memory, int64_t size) noexcept = 0;

    //! The stride of each dimension, in elements; for a vectorized dimension, the distance between
    //! vectors. -1 where the shape is unknown. Unknown name: nbDims -1.
    virtual Dims getTensorStrides(char const* tensorName) const noexcept = 0;

    //! The index of the selected profile. Default: 0.
    virtual int32_t getOptimizationProfile() const noexcept = 0;

    //! Sets the shape of an input for the next runs.
    //!
    //! \param tensorName name of an input.
    //! \param dims extents of 0 or more, within the profile.
    //!
    //! \return false, with a message, when the name is unknown or the shape is outside the profile;
    //!     the old shape is then kept.
    //!
    //! Plugins are notified in the next enqueueV3(), not in this call.
    virtual bool setInputShape(char const* tensorName, Dims const& dims) noexcept = 0;

    //! The shape of an input or output. An extent is -1 if an input shape is not set, or if a size
    //! tensor sets it. The latter stays -1 after a run, because the next run may compute another
    //! size. Unknown name: nbDims -1.
    //!
    //! To obtain the sizes of a run, use IOutputAllocator::notifyShape(), outputs that are size
    //! tensors, or kiln::foundShape().
    virtual Dims getTensorShape(char const* tensorName) const noexcept = 0;

    //! Whether every input has a shape without wildcards.
    virtual bool allInputDimensionsSpecified() const noexcept = 0;

    //! Sets the error recorder and adds a reference to it; nullptr removes it. Default: that of the
    //! engine.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Runs the engine and waits for completion.
    //!
    //! \param bindings an address for each input and output, in the order of
    //!     ICudaEngine::getIOTensorName(). Sets them like setTensorAddress().
    //!
    //! \return As enqueueV3(); also false if the work failed after it was enqueued.
    virtual bool executeV2(void* const* bindings) noexcept = 0;

    //! Selects a profile. A change of profile discards all shapes; set them again.
    //!
    //! \param profileIndex 0 to ICudaEngine::getNbOptimizationProfiles() - 1. Several contexts may
    //!     use one profile.
    //! \param stream ignored: Kiln enqueues nothing.
    //!
    //! \return false, with a message, when there is no such profile.
    virtual bool setOptimizationProfileAsync(int32_t profileIndex,
                                             cudaStream_t stream) noexcept = 0;

    //! Sets whether enqueueV3() waits for completion and reports to the profiler, or leaves that to
    //! reportToProfiler(). Default: true.
    virtual void setEnqueueEmitsProfile(bool enqueueEmitsProfile) noexcept = 0;

    //! Whether enqueueV3() reports to the profiler.
    virtual bool getEnqueueEmitsProfile() const noexcept = 0;

    //! Reports the last run to the profiler, if enqueueV3() did not.
    //!
    //! \return false, with a message, when there is no profiler or no unreported run.
    virtual bool reportToProfiler() const noexcept = 0;

    //! Sets the address of an input or output.
    //!
    //! \param data memory with the type, format and shape of the tensor
    //!     (ICudaEngine::getTensorFormat()), aligned to 256 bytes on cuda and to the element on
    //!     cpu. Must stay valid until the run has ended. Inputs are not modified. nullptr removes
    //!     the address.
    //!
    //! \return false, with a message, when the name is unknown or the address is not valid for the
    //!     target. enqueueV3() reports missing addresses.
    virtual bool setTensorAddress(char const* tensorName, void* data) noexcept = 0;

    //! The address of an input or output; nullptr when none is set or the name is unknown.
    virtual void const* getTensorAddress(char const* tensorName) const noexcept = 0;

    //! As setTensorAddress(), for outputs only.
    virtual bool setOutputTensorAddress(char const* tensorName, void* data) noexcept = 0;

    //! As setTensorAddress(), for inputs only.
    virtual bool setInputTensorAddress(char const* tensorName, void const* data) noexcept = 0;

    //! The address of an output; nullptr when none is set or the name is not that of an output.
    virtual void* getOutputTensorAddress(char const* tensorName) const noexcept = 0;

    //! Computes the shapes of all tensors and lists the inputs that are not completely set.
    //!
    //! \param nbMaxNames capacity of tensorNames; may be 0.
    //! \param tensorNames receives the names of inputs without a complete shape, and of shape
    //!     inputs without an address. Owned by the engine. May be nullptr when nbMaxNames is 0.
    //!
    //! \return The number of such inputs, which may exceed nbMaxNames; 0 when all shapes are known;
    //!     -1, with a message, when a value of a shape input is outside the profile.
    virtual int32_t inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept = 0;

    //! The memory for intermediate tensors at the current shapes, in bytes, for kUSER_MANAGED. 0,
    //! with a message, if the shapes or the values of shape inputs are not known.
    virtual size_t updateDeviceMemorySizeForShapes() noexcept = 0;

    //! Sets an event that is recorded after the last layer that reads an input, on cuda. Once it
    //! has completed, inputs may be overwritten. nullptr, the default, removes it.
    //!
    //! \return true. On cpu the event has no effect: enqueueV3() is synchronous.
    virtual bool setInputConsumedEvent(cudaEvent_t event) noexcept = 0;

    //! The event, or nullptr.
    virtual cudaEvent_t getInputConsumedEvent() const noexcept = 0;

    //! Sets the allocator for the memory of an output; nullptr removes it. It takes precedence over
    //! the address.
    //!
    //! \return false, with a message, when the tensor is not an output.
    virtual bool setOutputAllocator(char const* tensorName,
                                    IOutputAllocator* outputAllocator) noexcept = 0;

    //! The allocator of an output, or nullptr.
    virtual IOutputAllocator* getOutputAllocator(char const* tensorName) const noexcept = 0;

    //! The maximum size of an output in bytes, for the shapes that are set. If its shape has
    //! unknown extents, the maximum over all profiles. Unknown name: -1, with a message.
    virtual int64_t getMaxOutputSize(char const* tensorName) const noexcept = 0;

    //! Sets the allocator for memory whose size is known only during a run. nullptr, the default:
    //! that of the runtime. Kiln stores the allocator but never calls it: it reserves such memory
    //! at its maximum size.
    //!
    //! \return true.
    virtual bool setTemporaryStorageAllocator(IGpuAllocator* allocator) noexcept = 0;

    //! The temporary storage allocator, or nullptr.
    virtual IGpuAllocator* getTemporaryStorageAllocator() const noexcept = 0;

    //! Runs the engine.
    //!
    //! \param stream the stream for the work, on cuda. The call may return before the work has
    //!     completed; do not modify or free memory before that. Ignored on cpu, where the run is
    //!     synchronous.
    //!
    //! On cuda the call waits only in these cases: for a size that a plugin computes, if a later
    //! layer, an output allocator or a debug listener needs it; for a profiler that reports each
    //! run; and for each layer with setDebugSync() or KILN_SYNC=1. Shape inputs are read before the
    //! call returns. It may report an asynchronous error of earlier work; executeV2() reports its
    //! own errors.
    //!
    //! The stream may be in capture mode. Runs that would have to wait then fail with a message
    //! before anything is recorded; plugins that do work which cannot be captured fail too. After a
    //! change of shape values, run once without capture, which copies them to the device.
    //!
    //! \return false, with the reason in the log and the error recorder, when a shape or an address
    //!     is missing, or an allocator or a plugin failed. The contents of outputs are then
    //!     undefined; the context remains usable.
    virtual bool enqueueV3(cudaStream_t stream) noexcept = 0;

    //! Sets the amount of persistent L2 cache for this context, in bytes. Kiln stores the value
    //! without using it. Default: 0.
    virtual void setPersistentCacheLimit(size_t size) noexcept = 0;

    //! The persistent cache limit, in bytes.
    virtual size_t getPersistentCacheLimit() const noexcept = 0;

    //! Sets which NVTX ranges a profiler sees: those of runs and layers (kLAYER_NAMES_ONLY), also
    //! with the layers' kernels (kDETAILED), or none (kNONE).
    //!
    //! \return false, with a message, for more than ICudaEngine::getProfilingVerbosity().
    virtual bool setNvtxVerbosity(ProfilingVerbosity verbosity) noexcept = 0;

    //! The NVTX verbosity. Default: ICudaEngine::getProfilingVerbosity().
    virtual ProfilingVerbosity getNvtxVerbosity() const noexcept = 0;

    //! Sets auxiliary streams. Ignored: engines do not use any.
    //!
    //! \param auxStreams array of nbStreams streams.
    virtual void setAuxStreams(cudaStream_t* auxStreams, int32_t nbStreams) noexcept = 0;

    //! Sets the listener that receives the values of debug tensors; nullptr, the default, removes
    //! it.
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

    //! A copy of the configuration of the context, deleted by the user.
    virtual IRuntimeConfig* getRuntimeConfig() const noexcept = 0;

    //! Switches all debug tensors. \return true.
    virtual bool setAllTensorsDebugState(bool flag) noexcept = 0;

    //! Switches the tensors marked by INetworkDefinition::markUnfusedTensorsAsDebugTensors() that
    //! are not fused away. Default: off.
    //!
    //! \return true.
    virtual bool setUnfusedTensorsDebugState(bool flag) noexcept = 0;

    //! The last value of setUnfusedTensorsDebugState().
    virtual bool getUnfusedTensorsDebugState() const noexcept = 0;

    //! Sets the communicator, an ncclComm_t, for multi-device layers. The caller owns it, and all
    //! of its ranks must run.
    //!
    //! \return true.
    virtual bool setCommunicator(void* communicator) noexcept = 0;

    ~IExecutionContext() noexcept override = default;

    //! Whether every shape input has its values. See inferShapes().
    TRT_DEPRECATED virtual bool allInputShapesSpecified() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
