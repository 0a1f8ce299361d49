// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "target/device.h"

namespace kiln::targets::cpu {

/// This machine. Device memory is host memory. Streams have no state, because each call returns
/// only when its work is done.
class CpuDevice final : public target::Device {
public:
    static CpuDevice& instance();

    std::string_view target() const override { return "cpu"; }
    int32_t number() const override { return -1; }
    target::DeviceProperties properties() const override;

    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) override;
    void release(void* memory) noexcept override;
    void* allocateHost(std::size_t bytes) override;
    void releaseHost(void* memory) noexcept override;
    void copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
              target::StreamHandle stream) override;
    void fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) override;
    std::string pointerProblem(void const* pointer) const override;

    target::StreamHandle createStream() override { return nullptr; }
    void destroyStream(target::StreamHandle stream) noexcept override;
    void synchronize(target::StreamHandle stream) override;
    target::EventHandle createEvent() override;
    void destroyEvent(target::EventHandle event) noexcept override;
    void record(target::EventHandle event, target::StreamHandle stream) override;
    void synchronizeEvent(target::EventHandle event) override;
    void wait(target::StreamHandle stream, target::EventHandle event) override;
    float elapsedMs(target::EventHandle start, target::EventHandle stop) override;

    std::string architectureProblem(std::string_view architecture) const override;
    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override;
    std::string codeArchitecture() const override;
    int32_t rankOf(CodeKind kind, std::string_view architecture, int32_t ptxVersion) const override;
    std::string codeProblem(CodeKind kind, std::string_view architecture,
                            int32_t ptxVersion) const override;
    std::unique_ptr<target::UserKernel> loadUserKernel(target::UserKernelSpec const& spec,
                                                       HandOver const& ways) const override;

private:
    void* mapLarge(std::size_t bytes);

    std::mutex mutex_;
    std::vector<std::pair<void*, std::size_t>> large_; ///< mapped, with their bytes
};

} // namespace kiln::targets::cpu
