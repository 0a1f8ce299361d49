// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Each allocation has its own pages and ends at their end, so that most accesses past it hit the
// guard page. If its size is not a multiple of 256, guard bytes fill the rest.
#include "emulation/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include <sys/mman.h>

#include "emulation/chance.h"
#include "emulation/shared_memory.h"
#include "emulation/streams.h"

namespace kiln::emulation {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;
constexpr int kGuard = 0xc3;
constexpr int kFresh = 0x7f; // 3.4e38 as a float, NaN as a half, out of range as an index
constexpr std::size_t kMostFilled = std::size_t{64} << 20;

std::size_t roundUp(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::size_t sizeFromEnvironment() {
    char const* const text = std::getenv("KILN_EMULATION_MEMORY");
    return text == nullptr ? std::size_t{4} << 30 : std::strtoull(text, nullptr, 10);
}

bool hostMayTouch() {
    static bool const may = std::getenv("KILN_EMULATION_HOST_ACCESS") != nullptr;
    return may;
}

std::size_t total = sizeFromEnvironment();
std::size_t used = 0;
int accessDepth = 0;

std::map<std::byte const*, Allocation>& allocations() {
    static auto* const all = new std::map<std::byte const*, Allocation>;
    return *all;
}

void setAccess(Allocation const& allocation, bool open) {
    if (allocation.device && !hostMayTouch()) {
        mprotect(allocation.body, allocation.bodyBytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
}

CUresult allocate(std::size_t bytes, bool device, void** memory) {
    *memory = nullptr;
    if (bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (device && (bytes > total || roundUp(bytes, kAlignment) > total - std::min(total, used))) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    std::size_t const bodyBytes = roundUp(bytes, kPage);
    void* const pages = mmap(nullptr, bodyBytes + 2 * kPage, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    Allocation made;
    made.bytes = bytes;
    made.device = device;
    made.body = static_cast<std::byte*>(pages) + kPage;
    made.bodyBytes = bodyBytes;
    made.begin = made.body + bodyBytes - roundUp(bytes, kAlignment);
    mprotect(made.body, bodyBytes, PROT_READ | PROT_WRITE);
    std::memset(made.body, kGuard, static_cast<std::size_t>(made.begin - made.body));
    Chance* const chance = randomOrder();
    std::memset(made.begin, chance != nullptr && chance->below(2) != 0 ? kUnknown : kFresh,
                std::min(bytes, kMostFilled));
    std::byte* const end = made.begin + bytes;
    std::memset(end, kGuard, static_cast<std::size_t>(made.body + bodyBytes - end));
    setAccess(made, accessDepth > 0);
    allocations()[made.begin] = made;
    used += device ? roundUp(bytes, kAlignment) : 0;
    *memory = made.begin;
    return CUDA_SUCCESS;
}

bool isGuard(std::byte const* from, std::byte const* to) {
    return std::all_of(from, to, [](std::byte value) { return value == std::byte{kGuard}; });
}

CUresult release(void* memory, bool device) {
    auto const found = allocations().find(static_cast<std::byte*>(memory));
    if (found == allocations().end() || found->second.device != device) {
        std::fprintf(stderr, "[emulated GPU] free: %p is no %s allocation\n", memory,
                     device ? "device" : "pinned");
        return CUDA_ERROR_INVALID_VALUE;
    }
    drainAll(); // like the driver: pending work may use the memory
    checkGuards();
    Allocation const gone = found->second;
    allocations().erase(found);
    used -= device ? roundUp(gone.bytes, kAlignment) : 0;
    munmap(gone.body - kPage, gone.bodyBytes + 2 * kPage);
    return CUDA_SUCCESS;
}

} // namespace

std::size_t totalMemory() {
    return total;
}

Allocation const* allocationOf(void const* address) {
    auto const* const at = static_cast<std::byte const*>(address);
    auto after = allocations().upper_bound(at);
    if (after == allocations().begin()) {
        return nullptr;
    }
    Allocation const& before = std::prev(after)->second;
    return at < before.begin + before.bytes ? &before : nullptr;
}

bool isKnown(void const* address) {
    return allocationOf(address) != nullptr ||
           allocationOf(static_cast<std::byte const*>(address) - 1) != nullptr;
}

bool covers(void const* address, std::size_t bytes) {
    Allocation const* const found = allocationOf(address);
    return found != nullptr &&
           bytes <= static_cast<std::size_t>(found->begin + found->bytes -
                                             static_cast<std::byte const*>(address));
}

void checkGuards() {
    DeviceAccess const access;
    for (auto const& [begin, allocation] : allocations()) {
        if (!isGuard(allocation.body, begin) ||
            !isGuard(begin + allocation.bytes, allocation.body + allocation.bodyBytes)) {
            std::fprintf(stderr, "[emulated GPU] somebody wrote beside the %zu bytes at %p\n",
                         allocation.bytes, static_cast<void const*>(begin));
            std::abort();
        }
    }
}

void closeDeviceMemory() {
    for (auto const& [begin, allocation] : allocations()) {
        setAccess(allocation, false);
    }
}

void openDeviceMemory() {
    for (auto const& [begin, allocation] : allocations()) {
        setAccess(allocation, true);
    }
}

DeviceAccess::DeviceAccess() {
    if (accessDepth++ == 0) {
        openDeviceMemory();
    }
}

DeviceAccess::~DeviceAccess() {
    if (--accessDepth == 0) {
        closeDeviceMemory();
    }
}

KILN_EMULATED CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
    Call const call(__func__);
    *free = total - std::min(total, used);
    *all = total;
    return call.result();
}

KILN_EMULATED CUresult cuMemAlloc_v2(CUdeviceptr* memory, std::size_t bytes) {
    Call const call(__func__);
    if (call.refused() || forbidsCapture()) {
        return call.refused() ? call.result() : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return allocate(bytes, true, reinterpret_cast<void**>(memory));
}

KILN_EMULATED CUresult cuMemFree_v2(CUdeviceptr memory) {
    Call const call(__func__);
    if (call.refused() || memory == 0) {
        return call.result();
    }
    return forbidsCapture() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                            : release(reinterpret_cast<void*>(memory), true);
}

KILN_EMULATED CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
    Call const call(__func__);
    if (call.refused() || forbidsCapture()) {
        return call.refused() ? call.result() : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return allocate(bytes, false, memory);
}

KILN_EMULATED CUresult cuMemFreeHost(void* memory) {
    Call const call(__func__);
    if (call.refused() || forbidsCapture()) {
        return call.refused() ? call.result() : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return release(memory, false);
}

KILN_EMULATED CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute,
                                             CUdeviceptr pointer) {
    Call const call(__func__);
    Allocation const* const found = allocationOf(reinterpret_cast<void const*>(pointer));
    if (call.refused() || found == nullptr) {
        return call.refused() ? call.result() : CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(value) = found->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<unsigned*>(value) = 0; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

} // namespace kiln::emulation

void kilnEmulatedSetMemory(std::size_t bytes) {
    kiln::emulation::Call const call(__func__, kiln::emulation::Call::Needs::kNothing);
    kiln::emulation::total = bytes;
}

std::size_t kilnEmulatedUsedMemory() {
    kiln::emulation::Call const call(__func__, kiln::emulation::Call::Needs::kNothing);
    return kiln::emulation::used;
}
