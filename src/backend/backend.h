// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/candidate.h"
#include "backend/kernel.h"
#include "backend/user_kernel.h"

namespace kiln::backend {

/// An event of the target: a cudaEvent_t on cuda.
using EventHandle = cudaEvent_t;
/// Work that was recorded from a stream, to be started again as one: a cudaGraphExec_t on cuda.
using GraphHandle = void*;

enum class CopyKind { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// Whether what is put on a stream is recorded into a graph instead of being run.
enum class Capture {
    kNone,
    kActive,
    kInvalidated, ///< it was, until something that can not be recorded ended it
};

struct DeviceProperties {
    std::string name;         ///< as the maker calls it
    std::string architecture; ///< "x86-64-v4", "sm_90": what compiled code depends on
    std::size_t totalBytes = 0;
    std::string software = {}; ///< what else times depend on: "driver 13.0"; may be empty
};

/// A library that a target opens at run time.
struct LibraryStatus {
    std::string name;    ///< "NVRTC"
    std::string version; ///< "13.0"; empty where it was not found
    std::string file;
    std::string problem; ///< why it can not be used, and what to do
};

/// What a thread's current device was before Backend::enterThread().
struct ThreadState {
    void* before = nullptr;
    bool entered = false; ///< whether there is something to make current again
};

/// What a target must provide. One object per process and target; all functions are thread-safe.
/// Errors are thrown (kOutOfMemory says how much was wanted, kDevice carries the driver's words).
class Backend {
public:
    virtual ~Backend() = default;

    virtual std::string_view name() const = 0; ///< "cpu", "cuda"
    virtual DeviceProperties properties() const = 0;

    /// Whether kernels can be run, and so be timed, by this process. False where plans are only
    /// built for another machine; then memory, streams and load() throw.
    virtual bool runsHere() const { return true; }
    /// Number of the GPU whose memory kernels and plugins see; -1: the host's.
    virtual int32_t deviceNumber() const { return -1; }
    /// What the target opens at run time, in the order of need.
    virtual std::vector<LibraryStatus> libraries() const { return {}; }

    /// What plans that are built now will need of a machine.
    virtual std::string planArchitecture() const { return properties().architecture; }
    /// For which architectures a plugin is asked for ahead-of-time code: one or more.
    virtual std::vector<std::string> codeArchitectures() const { return {planArchitecture()}; }
    /// Empty if a plan that needs `architecture` can run here, else the reason why not.
    virtual std::string architectureProblem(std::string_view architecture) const = 0;

    /// Whether a thread must call enterThread() before it starts kernels or plugins.
    virtual bool entersThreads() const { return false; }
    /// Makes the target's device the current one of the calling thread, until leaveThread() makes
    /// that of before current again. A few nanoseconds. ThreadScope does both.
    virtual ThreadState enterThread() { return {}; }
    virtual void leaveThread(ThreadState state) noexcept { static_cast<void>(state); }

    // Memory. On cpu, device memory is host memory.
    /// `what` it is for, in the message of a failure: "the arena of an execution context".
    virtual void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) = 0;
    virtual void release(void* memory) noexcept = 0;
    /// Host memory that the device reads and writes while the host goes on (pinned).
    virtual void* allocateHost(std::size_t bytes) = 0;
    virtual void releaseHost(void* memory) noexcept = 0;
    /// Does not wait for the stream when the host's side of the copy is pinned or goes to the
    /// device; copies to other host memory may wait.
    virtual void copy(void* to, void const* from, std::size_t bytes, CopyKind kind,
                      StreamHandle stream) = 0;
    virtual void fill(void* memory, uint8_t value, std::size_t bytes, StreamHandle stream) = 0;
    /// Whether kernels can read host memory in place (mapped constants need no upload).
    virtual bool readsHostMemory() const = 0;
    /// Empty if a kernel may use this pointer, else what is wrong with it.
    virtual std::string pointerProblem(void const* pointer) const = 0;
    /// Empty if the host may use this pointer, as far as can be told, else what is wrong with it.
    virtual std::string hostPointerProblem(void const* pointer) const {
        static_cast<void>(pointer);
        return {};
    }

    // Streams and events.
    /// Work on it goes on beside that of all other streams.
    virtual StreamHandle createStream() = 0;
    /// One in the same order as the default stream, null: what is put on either waits for what is
    /// on the other by then. For targets with streams; else as createStream().
    virtual StreamHandle createBlockingStream() { return createStream(); }
    virtual void destroyStream(StreamHandle stream) noexcept = 0;
    /// Waits for all work of the stream. Throws kDevice, in the driver's words, if any failed.
    virtual void synchronize(StreamHandle stream) = 0;
    /// What is known by now of work that failed, in the driver's words; empty if nothing is. Never
    /// waits.
    virtual std::string knownFailure(StreamHandle stream) const {
        static_cast<void>(stream);
        return {};
    }
    virtual Capture capture(StreamHandle stream) const {
        static_cast<void>(stream);
        return Capture::kNone;
    }
    /// Records what is put on a stream from now on, by this thread, instead of running it. Throws
    /// kUnsupported on targets without graphs, as the three below.
    virtual void beginCapture(StreamHandle stream);
    virtual GraphHandle endCapture(StreamHandle stream);
    virtual void launchGraph(GraphHandle graph, StreamHandle stream);
    virtual void destroyGraph(GraphHandle graph) noexcept { static_cast<void>(graph); }
    virtual EventHandle createEvent() = 0;
    virtual void destroyEvent(EventHandle event) noexcept = 0;
    virtual void record(EventHandle event, StreamHandle stream) = 0;
    /// Waits until the host's last record() of it has passed.
    virtual void synchronizeEvent(EventHandle event) = 0;
    /// Makes what follows on the stream wait for an event.
    virtual void wait(StreamHandle stream, EventHandle event) = 0;
    /// Time between two recorded events that have passed, in milliseconds.
    virtual float elapsedMs(EventHandle start, EventHandle stop) = 0;

    // Kernels.
    /// Candidates for a node, best first, a plain reference last. Empty: the op is unknown here.
    virtual std::vector<Candidate> candidates(NodeSpec const& node) const = 0;
    /// Makes a kernel of a plan. constants.size() == record.inputs.size(). The pointers stay valid
    /// as long as the kernel. Throws kCorruptData or kUnsupported.
    virtual std::unique_ptr<Kernel> load(KernelRecord const& record,
                                         std::span<ConstantOperand const> constants) const = 0;

    // Kernels that users compiled ahead of time.
    /// How well an image runs here: 0 not at all, higher is better.
    virtual int32_t rankOf(CodeKind kind, std::string_view architecture,
                           int32_t ptxVersion) const = 0;
    /// Why rankOf() is 0, after "cuda can not run it: ".
    virtual std::string codeProblem(CodeKind kind, std::string_view architecture,
                                    int32_t ptxVersion) const = 0;
    /// Empty if a kernel can be launched so on the target, else what is wrong with which number.
    virtual std::string launchProblem(UserLaunch const& launch) const = 0;
    /// Makes such a kernel. Throws kUnsupported or kCorruptData in the words of the loader. The
    /// kernel's bytes may go afterwards.
    virtual std::unique_ptr<UserKernel> loadUserKernel(UserKernelSpec const& spec,
                                                       HandOver const& ways) const = 0;
};

/// The target's device is current on this thread while it lives.
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

} // namespace kiln::backend
