// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A target that behaves like a GPU: the host cannot access its memory, and work on a stream is
// deferred until something waits for the stream. It runs the kernels of the cpu target.
#pragma once

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "target/device.h"

namespace kiln::test {

/// What a stream handle of this target points to.
struct QueuedStream {
    std::deque<std::function<void()>> work;
    target::Capture capture = target::Capture::kNone;
};

class QueuedDevice final : public target::Device {
public:
    /// The device of the target "queued", which is registered at first use.
    static QueuedDevice& instance();

    std::string_view target() const override { return "queued"; }
    int32_t number() const override { return 0; }
    target::DeviceProperties properties() const override;
    std::string architectureProblem(std::string_view) const override { return {}; }
    target::ThreadState enterThread() override;
    void leaveThread(target::ThreadState state) noexcept override;

    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) override;
    void release(void* memory) noexcept override;
    void* allocateHost(std::size_t bytes) override;
    void releaseHost(void* memory) noexcept override;
    void copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
              target::StreamHandle stream) override;
    void fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) override;
    std::string pointerProblem(void const* pointer) const override;
    std::string hostPointerProblem(void const* pointer) const override;

    target::StreamHandle createStream() override;
    void destroyStream(target::StreamHandle stream) noexcept override;
    void synchronize(target::StreamHandle stream) override;
    std::string knownFailure(target::StreamHandle stream) const override;
    target::Capture capture(target::StreamHandle stream) const override;
    target::EventHandle createEvent() override;
    void destroyEvent(target::EventHandle event) noexcept override;
    void record(target::EventHandle event, target::StreamHandle stream) override;
    void synchronizeEvent(target::EventHandle event) override;
    void wait(target::StreamHandle stream, target::EventHandle event) override;
    float elapsedMs(target::EventHandle start, target::EventHandle stop) override;

    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override;
    std::string codeArchitecture() const override { return "queue-1"; }
    int32_t rankOf(CodeKind, std::string_view, int32_t) const override { return 0; }
    std::string codeProblem(CodeKind kind, std::string_view architecture, int32_t) const override;
    std::unique_ptr<target::UserKernel> loadUserKernel(target::UserKernelSpec const& spec,
                                                       HandOver const& ways) const override;

    // For tests.
    /// Puts work on a stream, as a plugin's enqueue does. The work can access device memory.
    void push(target::StreamHandle stream, std::function<void()> work);
    /// Number of operations that are pending on a stream.
    std::size_t waiting(target::StreamHandle stream) const;
    /// Runs the first of them.
    void doOne(target::StreamHandle stream);
    static bool hasPassed(target::EventHandle event);
    void setCapture(target::StreamHandle stream, target::Capture state);
    /// Makes waiting fail from here on, as after an illegal access by a kernel. An empty text
    /// repairs the device.
    void breakDevice(std::string words) { broken_ = std::move(words); }
    bool isBroken() const { return !broken_.empty(); }
    bool ownsMemory(void const* pointer) const;
    bool threadEntered() const;
    /// The fault that the next kernel reports.
    std::string fault;
    /// Allocations of more bytes fail.
    std::size_t room = std::size_t{1} << 30;
    std::atomic<int> waits{0}; ///< calls that waited for a stream or an event
    std::atomic<int> asked{0}; ///< queries about pointers
    std::atomic<int> captureQuestions{0};

private:
    void drain(QueuedStream& stream);
    void doOne(QueuedStream& stream);
    void setReach(int protection);
    QueuedStream& streamOf(target::StreamHandle stream) const;

    mutable std::recursive_mutex mutex_;
    std::map<std::byte*, std::size_t> blocks_;
    std::set<void*> pinned_;
    mutable QueuedStream null_;
    std::string broken_;
    int depth_ = 0; ///< nested drains; device memory is accessible while above 0
};

} // namespace kiln::test
