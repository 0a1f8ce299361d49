// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "backend/target.h"

namespace kiln::backends::cuda {

/// The target for NVIDIA GPUs. If there is a GPU that runs code of one of the target's
/// architectures, engines run and candidates are timed. Otherwise plans are only built for these
/// architectures, and functions that need a device throw.
class CudaBackend final : public backend::Backend {
public:
    /// Throws kUnsupported if the target names no architecture and there is no GPU,
    /// kInvalidArgument for an invalid architecture.
    explicit CudaBackend(backend::Target const& target);

    std::string_view name() const override { return "cuda"; }
    backend::DeviceProperties properties() const override;
    bool runsHere() const override { return runsHere_; }
    int32_t deviceNumber() const override;
    std::vector<backend::LibraryStatus> libraries() const override; // backend_libraries.cpp
    std::string planArchitecture() const override;
    std::vector<std::string> codeArchitectures() const override { return architectures_; }
    std::string architectureProblem(std::string_view architecture) const override;
    bool entersThreads() const override { return true; }
    backend::ThreadState enterThread() override;
    void leaveThread(backend::ThreadState state) noexcept override;

    // backend_memory.cpp
    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) override;
    void release(void* memory) noexcept override;
    void* allocateHost(std::size_t bytes) override;
    void releaseHost(void* memory) noexcept override;
    void copy(void* to, void const* from, std::size_t bytes, backend::CopyKind kind,
              backend::StreamHandle stream) override;
    void fill(void* memory, uint8_t value, std::size_t bytes,
              backend::StreamHandle stream) override;
    bool readsHostMemory() const override { return false; }
    std::string pointerProblem(void const* pointer) const override;
    std::string hostPointerProblem(void const* pointer) const override;

    // backend_streams.cpp
    backend::StreamHandle createStream() override;
    backend::StreamHandle createBlockingStream() override;
    void destroyStream(backend::StreamHandle stream) noexcept override;
    void synchronize(backend::StreamHandle stream) override;
    std::string knownFailure(backend::StreamHandle stream) const override;
    backend::Capture capture(backend::StreamHandle stream) const override;
    void beginCapture(backend::StreamHandle stream) override;
    backend::GraphHandle endCapture(backend::StreamHandle stream) override;
    void launchGraph(backend::GraphHandle graph, backend::StreamHandle stream) override;
    void destroyGraph(backend::GraphHandle graph) noexcept override;
    backend::EventHandle createEvent() override;
    void destroyEvent(backend::EventHandle event) noexcept override;
    void record(backend::EventHandle event, backend::StreamHandle stream) override;
    void synchronizeEvent(backend::EventHandle event) override;
    void wait(backend::StreamHandle stream, backend::EventHandle event) override;
    float elapsedMs(backend::EventHandle start, backend::EventHandle stop) override;

    std::vector<backend::Candidate> candidates(backend::NodeSpec const& node) const override;
    std::unique_ptr<backend::Kernel> load(
        backend::KernelRecord const& record,
        std::span<backend::ConstantOperand const> constants) const override;

    int32_t rankOf(CodeKind kind, std::string_view architecture, int32_t ptxVersion) const override;
    std::string codeProblem(CodeKind kind, std::string_view architecture,
                            int32_t ptxVersion) const override;
    std::string launchProblem(backend::UserLaunch const& launch) const override;
    std::unique_ptr<backend::UserKernel> loadUserKernel(backend::UserKernelSpec const& spec,
                                                        HandOver const& ways) const override;

private:
    std::vector<std::string> architectures_;
    bool runsHere_ = false;
};

} // namespace kiln::backends::cuda
