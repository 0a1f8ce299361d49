// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "target/kernel.h"
#include "target/user_kernel.h"

namespace kiln::target {

/// An event of the target: a cudaEvent_t on cuda.
using EventHandle = cudaEvent_t;
/// Work recorded from a stream, to be launched as a unit: a cudaGraphExec_t on cuda.
using GraphHandle = void*;

enum class CopyKind { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// Whether work enqueued on a stream is recorded into a graph instead of being run.
enum class Capture {
    kNone,
    kActive,
    kInvalidated, ///< recording ended because of work that cannot be recorded
};

struct DeviceProperties {
    std::string name;         ///< the vendor's name
    std::string architecture; ///< "x86-64-v4", "sm_90": what compiled code is for
    std::size_t totalBytes = 0;
    std::string software = {}; ///< timings also depend on it: "driver 13.0"; may be empty
};

/// The current device of a thread before Device::enterThread().
struct ThreadState {
    void* before = nullptr;
    bool entered = false; ///< whether leaveThread() must restore `before`
};

/// One GPU, or the host: its memory, its streams, and the code loaded on it. One object per process
/// and device; all functions are thread-safe, and leave the caller's device current. Errors are
/// thrown: kOutOfMemory states the bytes requested, kDevice carries the driver's text.
class Device {
public:
    virtual ~Device() = default;

    virtual std::string_view target() const = 0; ///< "cpu", "cuda"
    /// Number of the GPU; -1: the host.
    virtual int32_t number() const = 0;
    /// On the host, kernels use host memory, and work is done when the call that starts it returns.
    bool isHost() const { return number() < 0; }
    virtual DeviceProperties properties() const = 0;

    /// Makes the device current on the calling thread; leaveThread() restores the previous one.
    /// Takes a few nanoseconds. A thread must do so before it starts kernels or plugins;
    /// DeviceScope calls both.
    virtual ThreadState enterThread() { return {}; }
    virtual void leaveThread(ThreadState state) noexcept { static_cast<void>(state); }

    // Memory. On cpu, device memory is host memory.
    /// Bytes that can still be allocated, as far as the target can tell.
    virtual std::size_t freeBytes() const { return SIZE_MAX; }
    /// `what` names the purpose in the error message: "the arena of an execution context".
    virtual void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) = 0;
    virtual void release(void* memory) noexcept = 0;
    /// Pinned host memory: the device reads and writes it asynchronously.
    virtual void* allocateHost(std::size_t bytes) = 0;
    virtual void releaseHost(void* memory) noexcept = 0;
    /// Does not wait for the stream if the host memory is pinned or is the source; copies to other
    /// host memory may wait.
    virtual void copy(void* to, void const* from, std::size_t bytes, CopyKind kind,
                      StreamHandle stream) = 0;
    virtual void fill(void* memory, uint8_t value, std::size_t bytes, StreamHandle stream) = 0;
    /// Empty if a kernel may use this pointer, else what is wrong with it.
    virtual std::string pointerProblem(void const* pointer) const = 0;
    /// Empty if the host may use this pointer, as far as the target can tell, else what is wrong.
    virtual std::string hostPointerProblem(void const* pointer) const {
        static_cast<void>(pointer);
        return {};
    }

    // Streams and events.
    /// A stream that does not synchronize with any other stream.
    virtual StreamHandle createStream() = 0;
    /// Like createStream(), but synchronizes with the default stream (null): work on either waits
    /// for earlier work on the other. Without streams: createStream().
    virtual StreamHandle createBlockingStream() { return createStream(); }
    virtual void destroyStream(StreamHandle stream) noexcept = 0;
    /// Waits for all work of the stream. Throws kDevice, with the driver's text, if any work
    /// failed.
    virtual void synchronize(StreamHandle stream) = 0;
    /// The driver's text for work already known to have failed, else empty. Never waits.
    virtual std::string knownFailure(StreamHandle stream) const {
        static_cast<void>(stream);
        return {};
    }
    virtual Capture capture(StreamHandle stream) const {
        static_cast<void>(stream);
        return Capture::kNone;
    }
    /// Records work that this thread enqueues on the stream instead of running it. Throws
    /// kUnsupported on targets without graphs, as do endCapture() and launchGraph().
    virtual void beginCapture(StreamHandle stream);
    virtual GraphHandle endCapture(StreamHandle stream);
    virtual void launchGraph(GraphHandle graph, StreamHandle stream);
    virtual void destroyGraph(GraphHandle graph) noexcept { static_cast<void>(graph); }
    virtual EventHandle createEvent() = 0;
    virtual void destroyEvent(EventHandle event) noexcept = 0;
    virtual void record(EventHandle event, StreamHandle stream) = 0;
    /// Waits until the work before the last record() of this event is done.
    virtual void synchronizeEvent(EventHandle event) = 0;
    /// Makes later work on the stream wait for an event.
    virtual void wait(StreamHandle stream, EventHandle event) = 0;
    /// Time between two completed events, in milliseconds.
    virtual float elapsedMs(EventHandle start, EventHandle stop) = 0;

    // Code.
    /// Empty if a plan that needs `architecture` can run here, else the reason why not.
    virtual std::string architectureProblem(std::string_view architecture) const = 0;
    /// Creates a kernel from its record in a plan. constants.size() == record.inputs.size(). The
    /// pointers must stay valid as long as the kernel. Throws kCorruptData or kUnsupported.
    virtual std::unique_ptr<Kernel> load(KernelRecord const& record,
                                         std::span<ConstantOperand const> constants) const = 0;

    // Kernels that users compiled ahead of time.
    /// The architecture of such code that runs here.
    virtual std::string codeArchitecture() const = 0;
    /// How well an image runs here: 0 not at all, higher is better.
    virtual int32_t rankOf(CodeKind kind, std::string_view architecture,
                           int32_t ptxVersion) const = 0;
    /// Why rankOf() is 0, for the end of a message: "it is for GPUs".
    virtual std::string codeProblem(CodeKind kind, std::string_view architecture,
                                    int32_t ptxVersion) const = 0;
    /// Loads such a kernel. Throws kUnsupported or kCorruptData with the loader's text. The bytes
    /// of the code may be freed afterwards.
    virtual std::unique_ptr<UserKernel> loadUserKernel(UserKernelSpec const& spec,
                                                       HandOver const& ways) const = 0;
};

/// RAII: makes a device current on this thread.
class DeviceScope {
public:
    explicit DeviceScope(Device& device) : device_(device), state_(device.enterThread()) {}
    ~DeviceScope() {
        if (state_.entered) [[unlikely]] {
            device_.leaveThread(state_);
        }
    }
    DeviceScope(DeviceScope const&) = delete;
    DeviceScope& operator=(DeviceScope const&) = delete;

private:
    Device& device_;
    ThreadState state_;
};

} // namespace kiln::target
