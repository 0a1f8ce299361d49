// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/candidate.h"
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

/// A library that a target opens at run time.
struct LibraryStatus {
    std::string name;    ///< "NVRTC"
    std::string version; ///< "13.0"; empty if not found
    std::string file;
    std::string problem; ///< why it cannot be used, and what to do
};

/// The current device of a thread before Backend::enterThread().
struct ThreadState {
    void* before = nullptr;
    bool entered = false; ///< whether leaveThread() must restore `before`
};

/// The interface of a target. One object per process and target; all functions are thread-safe.
/// Errors are thrown: kOutOfMemory states the bytes requested, kDevice carries the driver's text.
class Backend {
public:
    virtual ~Backend() = default;

    virtual std::string_view name() const = 0; ///< "cpu", "cuda"
    virtual DeviceProperties properties() const = 0;

    /// Whether this process can run kernels, and therefore time them. False if plans are only built
    /// for another machine; memory, streams and load() then throw.
    virtual bool runsHere() const { return true; }
    /// Number of the GPU whose memory kernels and plugins see; -1: host memory.
    virtual int32_t deviceNumber() const { return -1; }
    /// The libraries that the target opens at run time, most needed first.
    virtual std::vector<LibraryStatus> libraries() const { return {}; }

    /// The architecture that plans built now require.
    virtual std::string planArchitecture() const { return properties().architecture; }
    /// The architectures for which plugins provide ahead-of-time code: one or more.
    virtual std::vector<std::string> codeArchitectures() const { return {planArchitecture()}; }
    /// Empty if a plan that needs `architecture` can run here, else the reason why not.
    virtual std::string architectureProblem(std::string_view architecture) const = 0;

    /// Whether a thread must call enterThread() before it starts kernels or plugins.
    virtual bool entersThreads() const { return false; }
    /// Makes the target's device current on the calling thread; leaveThread() restores the previous
    /// one. Takes a few nanoseconds. ThreadScope calls both.
    virtual ThreadState enterThread() { return {}; }
    virtual void leaveThread(ThreadState state) noexcept { static_cast<void>(state); }

    // Memory. On cpu, device memory is host memory.
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
    /// Whether kernels can read host memory in place (mapped constants need no upload).
    virtual bool readsHostMemory() const = 0;
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

    // Kernels.
    /// Candidates for a node, best first, the plain reference last. Empty if the op is unknown.
    virtual std::vector<Candidate> candidates(NodeSpec const& node) const = 0;
    /// Creates a kernel from its record in a plan. constants.size() == record.inputs.size(). The
    /// pointers must stay valid as long as the kernel. Throws kCorruptData or kUnsupported.
    virtual std::unique_ptr<Kernel> load(KernelRecord const& record,
                                         std::span<ConstantOperand const> constants) const = 0;
    /// Which constants load() expects in an order of the kernel's own. The record has its code and
    /// may lack the tags. Throws kCorruptData.
    virtual std::vector<PackedOperand> packs(KernelRecord const& record) const {
        static_cast<void>(record);
        return {};
    }
    /// The packed bytes of one of these. A pure function: new weights can be packed for a plan that
    /// exists.
    virtual Bytes pack(KernelRecord const& record, std::size_t operand,
                       ConstantOperand const& original) const;

    // Kernels that users compiled ahead of time.
    /// How well an image runs here: 0 not at all, higher is better.
    virtual int32_t rankOf(CodeKind kind, std::string_view architecture,
                           int32_t ptxVersion) const = 0;
    /// Why rankOf() is 0, for the end of a message: "it is for GPUs".
    virtual std::string codeProblem(CodeKind kind, std::string_view architecture,
                                    int32_t ptxVersion) const = 0;
    /// Empty if the target can launch a kernel like this, else which number is wrong and why.
    virtual std::string launchProblem(UserLaunch const& launch) const = 0;
    /// Loads such a kernel. Throws kUnsupported or kCorruptData with the loader's text. The bytes
    /// of the code may be freed afterwards.
    virtual std::unique_ptr<UserKernel> loadUserKernel(UserKernelSpec const& spec,
                                                       HandOver const& ways) const = 0;
};

/// RAII: makes the target's device current on this thread.
class ThreadScope {
public:
    explicit ThreadScope(Backend& backend) : backend_(backend), state_(backend.enterThread()) {}
    ~ThreadScope() {
        if (state_.entered) [[unlikely]] {
            backend_.leaveThread(state_);
        }
    }
    ThreadScope(ThreadScope const&) = delete;
    ThreadScope& operator=(ThreadScope const&) = delete;

private:
    Backend& backend_;
    ThreadState state_;
};

} // namespace kiln::target
