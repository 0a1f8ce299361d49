// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/backend.h"
#include "target/target.h"

namespace kiln::targets::cuda {

/// The target for NVIDIA GPUs. If there is a GPU that runs code of one of the target's
/// architectures, engines run and candidates are timed. Otherwise plans are only built for these
/// architectures, and functions that need a device throw.
class CudaBackend final : public target::Backend {
public:
    /// Throws kUnsupported if the target names no architecture and there is no GPU,
    /// kInvalidArgument for an invalid architecture.
    explicit CudaBackend(target::Target const& target);

    std::string_view name() const override { return "cuda"; }
    target::DeviceProperties properties() const override;
    bool runsHere() const override { return runsHere_; }
    int32_t deviceNumber() const override;
    std::vector<target::LibraryStatus> libraries() const override; // backend_libraries.cpp
    std::string planArchitecture() const override;
    std::vector<std::string> codeArchitectures() const override { return architectures_; }
    std::string architectureProblem(std::string_view architecture) const override;
    bool entersThreads() const override { return true; }
    target::ThreadState enterThread() override;
    void leaveThread(target::ThreadState state) noexcept override;

    // backend_memory.cpp
    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) override;
    void release(void* memory) noexcept override;
    void* allocateHost(std::size_t bytes) override;
    void releaseHost(void* memory) noexcept override;
    void copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
              target::StreamHandle stream) override;
    void fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) override;
    bool readsHostMemory() const override { return false; }
    std::string pointerProblem(void const* pointer) const override;
    std::string hostPointerProblem(void const* pointer) const override;

    // backend_streams.cpp
    target::StreamHandle createStream() override;
    target::StreamHandle createBlockingStream() override;
    void destroyStream(target::StreamHandle stream) noexcept override;
    void synchronize(target::StreamHandle stream) override;
    std::string knownFailure(target::StreamHandle stream) const override;
    target::Capture capture(target::StreamHandle stream) const override;
    void beginCapture(target::StreamHandle stream) override;
    target::GraphHandle endCapture(target::StreamHandle stream) override;
    void launchGraph(target::GraphHandle graph, target::StreamHandle stream) override;
    void destroyGraph(target::GraphHandle graph) noexcept override;
    target::EventHandle createEvent() override;
    void destroyEvent(target::EventHandle event) noexcept override;
    void record(target::EventHandle event, target::StreamHandle stream) override;
    void synchronizeEvent(target::EventHandle event) override;
    void wait(target::StreamHandle stream, target::EventHandle event) override;
    float elapsedMs(target::EventHandle start, target::EventHandle stop) override;

    std::vector<target::Candidate> candidates(target::NodeSpec const& node) const override;
    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override;

    int32_t rankOf(CodeKind kind, std::string_view architecture, int32_t ptxVersion) const override;
    std::string codeProblem(CodeKind kind, std::string_view architecture,
                            int32_t ptxVersion) const override;
    std::string launchProblem(target::UserLaunch const& launch) const override;
    std::unique_ptr<target::UserKernel> loadUserKernel(target::UserKernelSpec const& spec,
                                                       HandOver const& ways) const override;

private:
    std::vector<std::string> architectures_;
    bool runsHere_ = false;
};

} // namespace kiln::targets::cuda
