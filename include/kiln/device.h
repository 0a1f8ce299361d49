// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory, streams and events of a target, for programs that run engines on any of them without
// naming CUDA's runtime: trtexec is one.
#pragma once

#include "NvInferRuntime.h"
#include "kiln/api/cuda_types.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! Between which memories IDevice::copy moves bytes. On the cpu target there is one memory.
enum class MemoryCopy : int32_t {
    kHOST_TO_DEVICE = 0,
    kDEVICE_TO_HOST = 1,
    kDEVICE_TO_DEVICE = 2,
};

//! What a target computes on. The objects belong to Kiln and live as long as the process.
//!
//! All functions may be called from several threads. Those that return bool or a pointer say with
//! false or nullptr that they failed; problem() then has the reason. On the cpu target, streams are
//! null, work is done when the call that asks for it returns, and there are no graphs.
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
    //! As its maker calls it: "NVIDIA H200".
    virtual char const* name() const noexcept = 0;
    //! What compiled code depends on: "sm_90", "x86-64-v4".
    virtual char const* architecture() const noexcept = 0;
    //! Size of its memory in bytes.
    virtual uint64_t memoryBytes() const noexcept = 0;
    //! Whether its pointers are host pointers, so that nothing needs to be copied.
    virtual bool usesHostMemory() const noexcept = 0;

    //! Memory of the device, aligned to 256 bytes; of 0 bytes, too. To be released by release().
    virtual void* allocate(uint64_t bytes) noexcept = 0;
    virtual void release(void* memory) noexcept = 0;
    //! Host memory that copies reach without waiting (pinned). To be released by releaseHost().
    virtual void* allocateHost(uint64_t bytes) noexcept = 0;
    virtual void releaseHost(void* memory) noexcept = 0;
    //! Puts a copy on a stream.
    virtual bool copy(void* to, void const* from, uint64_t bytes, MemoryCopy direction,
                      cudaStream_t stream) noexcept = 0;
    //! Puts a fill with equal bytes on a stream.
    virtual bool fill(void* memory, uint8_t value, uint64_t bytes,
                      cudaStream_t stream) noexcept = 0;

    //! A stream that does not wait for the default one.
    //!
    //! \param stream where it is written; null on the cpu target. To be destroyed by
    //!     destroyStream().
    virtual bool createStream(cudaStream_t* stream) noexcept = 0;
    virtual void destroyStream(cudaStream_t stream) noexcept = 0;
    //! Waits for all work of a stream; false if any of it failed.
    virtual bool synchronize(cudaStream_t stream) noexcept = 0;

    //! To be destroyed by destroyEvent().
    virtual cudaEvent_t createEvent() noexcept = 0;
    virtual void destroyEvent(cudaEvent_t event) noexcept = 0;
    virtual bool record(cudaEvent_t event, cudaStream_t stream) noexcept = 0;
    //! Milliseconds between two events that have passed; negative on failure.
    virtual float elapsedMs(cudaEvent_t start, cudaEvent_t stop) noexcept = 0;

    //! Records what this thread puts on a stream from now on, instead of running it.
    virtual bool beginCapture(cudaStream_t stream) noexcept = 0;
    //! Ends that. The graph can be launched any number of times, one at a time, and is destroyed by
    //! destroyGraph().
    virtual void* endCapture(cudaStream_t stream) noexcept = 0;
    virtual bool launchGraph(void* graph, cudaStream_t stream) noexcept = 0;
    virtual void destroyGraph(void* graph) noexcept = 0;

    //! Why the last function that this thread called on any device failed; empty if it did not.
    //! Valid until the next call on this thread.
    virtual char const* problem() const noexcept = 0;

protected:
    IDevice() = default;
    virtual ~IDevice() = default;
    IDevice(IDevice const&) = delete;
    IDevice& operator=(IDevice const&) = delete;
};

//! The device of a target.
//!
//! \param target "cpu", "cuda", or "cuda" with architectures; nullptr takes the default target
//!     (kiln::defaultTarget).
//! \param problem unless null: set to the reason when there is none, else to an empty text. Valid
//!     until the next call on this thread.
//!
//! \return nullptr when this machine has no such device; so it is when none of the architectures
//!     runs here.
IDevice* openDevice(char const* target, char const** problem = nullptr) noexcept;

//! The device that an engine runs on, whatever the default target is.
//!
//! \return nullptr only when there is no host memory left.
IDevice* deviceOf(nvinfer1::ICudaEngine const& engine) noexcept;

} // namespace kiln

#pragma GCC visibility pop
