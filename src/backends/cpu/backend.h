// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"

namespace kiln::backends::cpu {

/// The target that runs on this machine's processor. Device memory is host memory. Streams have no
/// state, because each call returns only when its work is done.
class CpuBackend final : public backend::Backend {
public:
    std::string_view name() const override { return "cpu"; }
    backend::DeviceProperties properties() const override;

    std::string planArchitecture() const override;
    std::string architectureProblem(std::string_view architecture) const override;

    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) override;
    void release(void* memory) noexcept override;
    void* allocateHost(std::size_t bytes) override;
    void releaseHost(void* memory) noexcept override;
    void copy(void* to, void const* from, std::size_t bytes, backend::CopyKind kind,
              backend::StreamHandle stream) override;
    void fill(void* memory, uint8_t value, std::size_t bytes,
              backend::StreamHandle stream) override;
    bool readsHostMemory() const override { return true; }
    std::string pointerProblem(void const* pointer) const override;

    backend::StreamHandle createStream() override { return nullptr; }
    void destroyStream(backend::StreamHandle stream) noexcept override;
    void synchronize(backend::StreamHandle stream) override;
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

    std::vector<std::string> codeArchitectures() const override;
    int32_t rankOf(CodeKind kind, std::string_view architecture, int32_t ptxVersion) const override;
    std::string codeProblem(CodeKind kind, std::string_view architecture,
                            int32_t ptxVersion) const override;
    std::string launchProblem(backend::UserLaunch const& launch) const override;
    std::unique_ptr<backend::UserKernel> loadUserKernel(backend::UserKernelSpec const& spec,
                                                        HandOver const& ways) const override;
};

} // namespace kiln::backends::cpu
