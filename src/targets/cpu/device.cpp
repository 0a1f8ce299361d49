// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/device.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "base/huge_pages.h"
#include "targets/cpu/processor.h"
#include "targets/cpu/readable.h"
#include "targets/cpu/user_kernel.h"

namespace kiln::targets::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// The object behind an EventHandle of this target.
struct Event {
    Clock::time_point time{};
};

Event* eventOf(target::EventHandle handle) {
    return reinterpret_cast<Event*>(handle);
}

} // namespace

CpuDevice& CpuDevice::instance() {
    static auto* const device =
        new CpuDevice; // never destroyed: engines may outlive static objects
    return *device;
}

target::DeviceProperties CpuDevice::properties() const {
    return {processorName(), processorArchitecture(), physicalMemoryBytes()};
}

std::string CpuDevice::architectureProblem(std::string_view architecture) const {
    return cpu::architectureProblem(architecture);
}

void* CpuDevice::allocate(std::size_t bytes, std::size_t alignment, std::string_view what) {
    // With pages of 4 KiB, ResNet-50 with batch 8 takes 10 % longer.
    bool const large = bytes >= 2 * kHugePage && alignment <= kHugePage;
    void* memory = large ? mapLarge(bytes) : nullptr;
    if (!large) {
        // aligned_alloc needs a multiple of the alignment; an empty tensor still gets an address.
        std::size_t const unit = std::max(alignment, alignof(std::max_align_t));
        std::size_t const size = std::max<std::size_t>(bytes, 1);
        memory = size > SIZE_MAX - unit ? nullptr : std::aligned_alloc(unit, roundUp(size, unit));
    }
    if (memory == nullptr) {
        fail(ErrorKind::kOutOfMemory,
             "[cpu] cannot allocate {} bytes for {}. Use smaller shapes, or free memory.", bytes,
             what);
    }
    return memory;
}

void* CpuDevice::mapLarge(std::size_t bytes) {
    std::scoped_lock const lock(mutex_);
    void*& place = large_.emplace_back(nullptr, bytes).first;
    place = mapMemory(bytes);
    void* const memory = place;
    if (memory == nullptr) {
        large_.pop_back();
    }
    return memory;
}

void* CpuDevice::allocateHost(std::size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t), "host memory");
}

void CpuDevice::releaseHost(void* memory) noexcept {
    release(memory);
}

void CpuDevice::release(void* memory) noexcept {
    if (reinterpret_cast<std::uintptr_t>(memory) % kHugePage == 0) { // or null
        std::scoped_lock const lock(mutex_);
        auto const own = std::ranges::find(large_, memory, &std::pair<void*, std::size_t>::first);
        if (own != large_.end()) {
            unmapMemory(memory, own->second);
            large_.erase(own);
            return;
        }
    }
    std::free(memory);
}

void CpuDevice::copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
                     target::StreamHandle stream) {
    static_cast<void>(kind); // all memory is host memory
    static_cast<void>(stream);
    if (bytes != 0) {
        std::memmove(to, from, bytes);
    }
}

void CpuDevice::fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) {
    static_cast<void>(stream);
    if (bytes != 0) {
        std::memset(memory, value, bytes);
    }
}

std::string CpuDevice::pointerProblem(void const* pointer) const {
    if (pointer == nullptr) {
        return "it is null";
    }
    if (!gpuAddressesExist() || canRead(pointer)) {
        return {};
    }
    return "expected memory that the host can read, got that of a GPU, or none. Copy the data to "
           "the host, or build the engine for the target cuda";
}

void CpuDevice::destroyStream(target::StreamHandle stream) noexcept {
    static_cast<void>(stream);
}

void CpuDevice::synchronize(target::StreamHandle stream) {
    static_cast<void>(stream);
}

target::EventHandle CpuDevice::createEvent() {
    return reinterpret_cast<target::EventHandle>(new Event);
}

void CpuDevice::destroyEvent(target::EventHandle event) noexcept {
    delete eventOf(event);
}

void CpuDevice::record(target::EventHandle event, target::StreamHandle stream) {
    static_cast<void>(stream);
    eventOf(event)->time = Clock::now();
}

void CpuDevice::synchronizeEvent(target::EventHandle event) {
    static_cast<void>(event); // all work before the event is done
}

void CpuDevice::wait(target::StreamHandle stream, target::EventHandle event) {
    static_cast<void>(stream);
    static_cast<void>(event);
}

float CpuDevice::elapsedMs(target::EventHandle start, target::EventHandle stop) {
    return std::chrono::duration<float, std::milli>(eventOf(stop)->time - eventOf(start)->time)
        .count();
}

std::string CpuDevice::codeArchitecture() const {
    return machineName();
}

int32_t CpuDevice::rankOf(CodeKind kind, std::string_view architecture, int32_t) const {
    return kind == CodeKind::kHostObject && architecture == machineName() ? 1 : 0;
}

std::string CpuDevice::codeProblem(CodeKind kind, std::string_view architecture, int32_t) const {
    if (kind == CodeKind::kHostObject) {
        return fmt::format("it is for {}, this machine is {}", architecture, machineName());
    }
    return "it is for GPUs";
}

std::unique_ptr<target::UserKernel> CpuDevice::loadUserKernel(target::UserKernelSpec const& spec,
                                                              HandOver const& ways) const {
    return loadHostKernel(spec, ways);
}

} // namespace kiln::targets::cpu
