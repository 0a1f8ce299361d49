// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory, streams and events of a target, for programs that run engines on any target without
// calling the CUDA runtime, such as trtexec.
#pragma once

#include "NvInferRuntime.h"
#include "kiln/api/cuda_types.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! Source and destination memory of IDevice::copy(). The cpu target has only one memory.
enum class MemoryCopy : int32_t {
    kHOST_TO_DEVICE = 0,
    kDEVICE_TO_HOST = 1,
    kDEVICE_TO_DEVICE = 2,
};

//! The device that a target computes on. Kiln owns the objects; they live until the process ends.
//!
//! All functions are thread-safe. Functions that return bool or a pointer return false or nullptr
//! on failure; problem() then returns the reason. On the cpu target, streams are null, all work is
//! synchronous, and there are no graphs.
//!
//! \code
//! kiln::IDevice* device = kiln::openDevice(nullptr);
//! void* memory = device->allocate(1024);
//! device->copy(memory, data, 1024, kiln::MemoryCopy::kHOST_TO_DEVICE, nullptr);
//! device->synchronize(nullptr);
//! device->release(memory);
//! \endcode
class IDevice {
public:
    //! "cpu" or "cuda".
    virtual char const* target() const noexcept = 0;
    //! The vendor's name of the device: "NVIDIA H200".
    virtual char const* name() const noexcept = 0;
    //! The architecture that code is compiled for: "sm_90", "x86-64-v4".
    virtual char const* architecture() const noexcept = 0;
    //! Size of its memory in bytes.
    virtual uint64_t memoryBytes() const noexcept = 0;
    //! Whether device pointers are host pointers, so that no copies are needed.
    virtual bool usesHostMemory() const noexcept = 0;

    //! Allocates device memory, aligned to 256 bytes; `bytes` may be 0. Release it with release().
    virtual void* allocate(uint64_t bytes) noexcept = 0;
    virtual void release(void* memory) noexcept = 0;
    //! Allocates pinned host memory, for asynchronous copies. Release it with releaseHost().
    virtual void* allocateHost(uint64_t bytes) noexcept = 0;
    virtual void releaseHost(void* memory) noexcept = 0;
    //! Enqueues a copy on a stream.
    virtual bool copy(void* to, void const* from, uint64_t bytes, MemoryCopy direction,
                      cudaStream_t stream) noexcept = 0;
    //! Enqueues a fill of every byte with `value` on a stream.
    virtual bool fill(void* memory, uint8_t value, uint64_t bytes,
                      cudaStream_t stream) noexcept = 0;

    //! Creates a stream that does not synchronize with the default stream.
    //!
    //! \param stream receives the stream; null on the cpu target. Destroy it with destroyStream().
    virtual bool createStream(cudaStream_t* stream) noexcept = 0;
    virtual void destroyStream(cudaStream_t stream) noexcept = 0;
    //! Waits for all work on a stream; false if any of it failed.
    virtual bool synchronize(cudaStream_t stream) noexcept = 0;

    //! Creates an event. Destroy it with destroyEvent().
    virtual cudaEvent_t createEvent() noexcept = 0;
    virtual void destroyEvent(cudaEvent_t event) noexcept = 0;
    virtual bool record(cudaEvent_t event, cudaStream_t stream) noexcept = 0;
    //! Milliseconds between two completed events; negative on failure.
    virtual float elapsedMs(cudaEvent_t start, cudaEvent_t stop) noexcept = 0;

    //! Starts stream capture: work that this thread enqueues on the stream is recorded, not run.
    virtual bool beginCapture(cudaStream_t stream) noexcept = 0;
    //! Ends the capture and returns the graph. It can be launched any number of times, but not
    //! concurrently. Destroy it with destroyGraph().
    virtual void* endCapture(cudaStream_t stream) noexcept = 0;
    virtual bool launchGraph(void* graph, cudaStream_t stream) noexcept = 0;
    virtual void destroyGraph(void* graph) noexcept = 0;

    //! The reason why the last device function that this thread called failed; empty if it
    //! succeeded. Valid until the next call on this thread.
    virtual char const* problem() const noexcept = 0;

protected:
    IDevice() = default;
    virtual ~IDevice() = default;
    IDevice(IDevice const&) = delete;
    IDevice& operator=(IDevice const&) = delete;
};

//! The device of a target.
//!
//! \param target "cpu", "cuda", or "cuda" with architectures; nullptr selects the default target
//!     (kiln::defaultTarget).
//! \param problem unless null: receives the reason of a failure, else an empty string. Valid until
//!     the next call on this thread.
//!
//! \return nullptr when this machine has no such device, or when none of the architectures runs on
//!     it.
IDevice* openDevice(char const* target, char const** problem = nullptr) noexcept;

//! The device that an engine runs on, independent of the default target.
//!
//! \return nullptr only when host memory is exhausted.
IDevice* deviceOf(nvinfer1::ICudaEngine const& engine) noexcept;

} // namespace kiln

#pragma GCC visibility pop
