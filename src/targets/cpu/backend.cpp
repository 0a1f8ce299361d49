// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/backend.h"

#include <chrono>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "target/backend_registry.h"
#include "target/kernel_registry.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/processor.h"
#include "targets/cpu/readable.h"
#include "targets/cpu/user_kernel.h"

namespace kiln::targets::cpu {

/// Generated from the names of the files in ops/.
void registerAllKernels(target::KernelRegistry& registry);

namespace {

using Clock = std::chrono::steady_clock;

/// The object behind an EventHandle of this target.
struct Event {
    Clock::time_point time{};
};

Event* eventOf(target::EventHandle handle) {
    return reinterpret_cast<Event*>(handle);
}

// Bandwidth of a copy of large tensors on one core, for candidates without their own cost model.
constexpr double kBytesPerSecond = 5e9;

target::KernelRegistry const& kernels() {
    static target::KernelRegistry const registry = [] {
        target::KernelRegistry filled;
        registerAllKernels(filled);
        return filled;
    }();
    return registry;
}

} // namespace

target::DeviceProperties CpuBackend::properties() const {
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

void CpuBackend::copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
                      target::StreamHandle stream) {
    static_cast<void>(kind); // all memory is host memory
    static_cast<void>(stream);
    if (bytes != 0) {
        std::memmove(to, from, bytes);
    }
}

void CpuBackend::fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) {
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

void CpuBackend::destroyStream(target::StreamHandle stream) noexcept {
    static_cast<void>(stream);
}

void CpuBackend::synchronize(target::StreamHandle stream) {
    static_cast<void>(stream);
}

target::EventHandle CpuBackend::createEvent() {
    return reinterpret_cast<target::EventHandle>(new Event);
}

void CpuBackend::destroyEvent(target::EventHandle event) noexcept {
    delete eventOf(event);
}

void CpuBackend::record(target::EventHandle event, target::StreamHandle stream) {
    static_cast<void>(stream);
    eventOf(event)->time = Clock::now();
}

void CpuBackend::synchronizeEvent(target::EventHandle event) {
    static_cast<void>(event); // all work before the event is done
}

void CpuBackend::wait(target::StreamHandle stream, target::EventHandle event) {
    static_cast<void>(stream);
    static_cast<void>(event);
}

float CpuBackend::elapsedMs(target::EventHandle start, target::EventHandle stop) {
    return std::chrono::duration<float, std::milli>(eventOf(stop)->time - eventOf(start)->time)
        .count();
}

std::vector<target::Candidate> CpuBackend::candidates(target::NodeSpec const& node) const {
    return kernels().candidates(node, kBytesPerSecond, {});
}

std::unique_ptr<target::Kernel> CpuBackend::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    return kernels().load(name(), record, constants);
}

std::vector<target::PackedOperand> CpuBackend::packs(target::KernelRecord const& record) const {
    return kernels().packs(name(), record);
}

Bytes CpuBackend::pack(target::KernelRecord const& record, std::size_t operand,
                       target::ConstantOperand const& original) const {
    return kernels().pack(name(), record, operand, original);
}

std::vector<target::LibraryStatus> CpuBackend::libraries() const {
    return {onednn::status()};
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

std::string CpuBackend::launchProblem(target::UserLaunch const& launch) const {
    for (auto const* numbers : {&launch.grid, &launch.block}) {
        for (int64_t const number : *numbers) {
            if (number < 0) {
                return fmt::format("expected a grid and a block of 0 or more, got {}", number);
            }
        }
    }
    return {};
}

std::unique_ptr<target::UserKernel> CpuBackend::loadUserKernel(target::UserKernelSpec const& spec,
                                                               HandOver const& ways) const {
    return loadHostKernel(spec, ways);
}

} // namespace kiln::targets::cpu

namespace kiln::target {

void registerBackend_cpu(BackendRegistry& registry) {
    registry.add("cpu", [](Target const& target) {
        if (!target.architectures.empty()) {
            fail(ErrorKind::kInvalidArgument,
                 "[target] '{}': expected no architecture for cpu, whose kernels choose their "
                 "instructions when they run. Write cpu.",
                 target.text());
        }
        return std::make_unique<targets::cpu::CpuBackend>();
    });
}

} // namespace kiln::target
