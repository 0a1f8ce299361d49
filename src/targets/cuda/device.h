// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/device.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

/// One NVIDIA GPU. Making the object opens nothing; its functions throw if there is no such GPU.
class CudaDevice final : public target::Device {
public:
    explicit CudaDevice(int number) noexcept : number_(number) {}
    /// The process's object for a GPU that exists.
    static CudaDevice& of(int number);

    std::string_view target() const override { return "cuda"; }
    int32_t number() const override { return number_; }
    target::DeviceProperties properties() const override;
    target::ThreadState enterThread() override;
    void leaveThread(target::ThreadState state) noexcept override;

    // device_memory.cpp
    std::size_t freeBytes() const override;
    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view what) override;
    void release(void* memory) noexcept override;
    void* allocateHost(std::size_t bytes) override;
    void releaseHost(void* memory) noexcept override;
    void copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
              target::StreamHandle stream) override;
    void fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) override;
    std::string pointerProblem(void const* pointer) const override;
    std::string hostPointerProblem(void const* pointer) const override;

    // device_streams.cpp
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
    Gpu const& gpu() const { return Gpu::of(number_); }
    GpuScope enter() const { return GpuScope(gpu()); }

    int number_;
};

/// Whether a GPU runs code of one of the architectures in a plan's text, "compute_80+sm_90".
bool runsPlan(Gpu const& gpu, std::string_view architectures);

} // namespace kiln::targets::cuda
