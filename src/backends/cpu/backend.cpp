// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/backend.h"

#include <chrono>
#include <cstring>
#include <new>

#include "backend/backend_registry.h"
#include "backend/kernel_registry.h"
#include "backends/cpu/processor.h"
#include "backends/cpu/readable.h"
#include "backends/cpu/user_kernel.h"
#include "base/checked.h"

namespace kiln::backends::cpu {

/// Generated from the names of the files in ops/.
void registerAllKernels(backend::KernelRegistry& registry);

namespace {

using Clock = std::chrono::steady_clock;

/// The object behind an EventHandle of this target.
struct Event {
    Clock::time_point time{};
};

Event* eventOf(backend::EventHandle handle) {
    return reinterpret_cast<Event*>(handle);
}

// Bandwidth of a copy of large tensors on one core, for candidates without their own cost model.
constexpr double kBytesPerSecond = 5e9;

backend::KernelRegistry const& kernels() {
    static backend::KernelRegistry const registry = [] {
        backend::KernelRegistry filled;
        registerAllKernels(filled);
        return filled;
    }();
    return registry;
}

} // namespace

backend::DeviceProperties CpuBackend::properties() const {
    return {processorName(), processorArchitecture(), physicalMemoryBytes()};
}

std::string CpuBackend::planArchitecture() const {
    return baselineArchitecture();
}

std::string CpuBackend::architectureProblem(std::string_view architecture) const {
    return cpu::architectureProblem(architecture);
}

void* CpuBackend::allocate(std::size_t bytes, std::size_t alignment, std::string_view what) {
    // aligned_alloc needs a multiple of the alignment; an empty tensor still gets an address.
    std::size_t const unit = std::max(alignment, alignof(std::max_align_t));
    if (bytes > SIZE_MAX - unit) {
        fail(ErrorKind::kOutOfMemory, "[cpu] cannot allocate {} bytes for {}. Use smaller shapes.",
             bytes, what);
    }
    void* memory = std::aligned_alloc(unit, roundUp(std::max<std::size_t>(bytes, 1), unit));
    if (memory == nullptr) {
        fail(ErrorKind::kOutOfMemory,
             "[cpu] cannot allocate {} bytes for {}. Use smaller shapes, or free memory.", bytes,
             what);
    }
    return memory;
}

void* CpuBackend::allocateHost(std::size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t), "host memory");
}

void CpuBackend::releaseHost(void* memory) noexcept {
    std::free(memory);
}

void CpuBackend::release(void* memory) noexcept {
    std::free(memory);
}

void CpuBackend::copy(void* to, void const* from, std::size_t bytes, backend::CopyKind kind,
                      backend::StreamHandle stream) {
    static_cast<void>(kind); // all memory is host memory
    static_cast<void>(stream);
    if (bytes != 0) {
        std::memmove(to, from, bytes);
    }
}

void CpuBackend::fill(void* memory, uint8_t value, std::size_t bytes,
                      backend::StreamHandle stream) {
    static_cast<void>(stream);
    if (bytes != 0) {
        std::memset(memory, value, bytes);
    }
}

std::string CpuBackend::pointerProblem(void const* pointer) const {
    if (pointer == nullptr) {
        return "it is null";
    }
    if (!gpuAddressesExist() || canRead(pointer)) {
        return {};
    }
    return "expected memory that the host can read, got that of a GPU, or none. Copy the data to "
           "the host, or build the engine for the target cuda";
}

void CpuBackend::destroyStream(backend::StreamHandle stream) noexcept {
    static_cast<void>(stream);
}

void CpuBackend::synchronize(backend::StreamHandle stream) {
    static_cast<void>(stream);
}

backend::EventHandle CpuBackend::createEvent() {
    return reinterpret_cast<backend::EventHandle>(new Event);
}

void CpuBackend::destroyEvent(backend::EventHandle event) noexcept {
    delete eventOf(event);
}

void CpuBackend::record(backend::EventHandle event, backend::StreamHandle stream) {
    static_cast<void>(stream);
    eventOf(event)->time = Clock::now();
}

void CpuBackend::synchronizeEvent(backend::EventHandle event) {
    static_cast<void>(event); // all work before the event is done
}

void CpuBackend::wait(backend::StreamHandle stream, backend::EventHandle event) {
    static_cast<void>(stream);
    static_cast<void>(event);
}

float CpuBackend::elapsedMs(backend::EventHandle start, backend::EventHandle stop) {
    return std::chrono::duration<float, std::milli>(eventOf(stop)->time - eventOf(start)->time)
        .count();
}

std::vector<backend::Candidate> CpuBackend::candidates(backend::NodeSpec const& node) const {
    return kernels().candidates(node, kBytesPerSecond, {});
}

std::unique_ptr<backend::Kernel> CpuBackend::load(
    backend::KernelRecord const& record,
    std::span<backend::ConstantOperand const> constants) const {
    return kernels().load(name(), record, constants);
}

std::vector<std::string> CpuBackend::codeArchitectures() const {
    return {machineName()};
}

int32_t CpuBackend::rankOf(CodeKind kind, std::string_view architecture, int32_t) const {
    return kind == CodeKind::kHostObject && architecture == machineName() ? 1 : 0;
}

std::string CpuBackend::codeProblem(CodeKind kind, std::string_view architecture, int32_t) const {
    if (kind == CodeKind::kHostObject) {
        return fmt::format("it is for {}, this machine is {}", architecture, machineName());
    }
    return "it is for GPUs";
}

std::string CpuBackend::launchProblem(backend::UserLaunch const& launch) const {
    for (auto const* numbers : {&launch.grid, &launch.block}) {
        for (int64_t const number : *numbers) {
            if (number < 0) {
                return fmt::format("expected a grid and a block of 0 or more, got {}", number);
            }
        }
    }
    return {};
}

std::unique_ptr<backend::UserKernel> CpuBackend::loadUserKernel(backend::UserKernelSpec const& spec,
                                                                HandOver const& ways) const {
    return loadHostKernel(spec, ways);
}

} // namespace kiln::backends::cpu

namespace kiln::backend {

void registerBackend_cpu(BackendRegistry& registry) {
    registry.add("cpu", [](Target const& target) {
        if (!target.architectures.empty()) {
            fail(ErrorKind::kInvalidArgument,
                 "[target] '{}': expected no architecture for cpu, whose kernels choose their "
                 "instructions when they run. Write cpu.",
                 target.text());
        }
        return std::make_unique<backends::cpu::CpuBackend>();
    });
}

} // namespace kiln::backend
