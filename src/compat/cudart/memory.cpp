// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations. Each is recorded with its kind, so that freeing an unknown address, or with the
// wrong function, returns CUDA's error.
#include "machine_memory.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "status.h"
#include "streams.h"

namespace kiln::cudart {
namespace {

constexpr std::size_t kAlignment = 256; // CUDA's minimum

struct Block {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    bool registered = false; ///< by cudaHostRegister: owned by the program
};

/// Thread-safe.
class Blocks {
public:
    void add(Block const& block) {
        std::lock_guard const lock(mutex_);
        byAddress_.emplace(block.begin, block);
    }

    /// The block that contains the address.
    std::optional<Block> find(void const* address) {
        std::lock_guard const lock(mutex_);
        auto const at = reinterpret_cast<std::uintptr_t>(address);
        auto after = byAddress_.upper_bound(at);
        if (after == byAddress_.begin() || at - (--after)->second.begin >= after->second.bytes) {
            return std::nullopt;
        }
        return after->second;
    }

    /// Removes the block that begins at the address, if `matches` accepts it.
    template <typename Matches>
    bool remove(void const* address, Matches matches) {
        std::lock_guard const lock(mutex_);
        auto const found = byAddress_.find(reinterpret_cast<std::uintptr_t>(address));
        if (found == byAddress_.end() || !matches(found->second)) {
            return false;
        }
        byAddress_.erase(found);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<std::uintptr_t, Block> byAddress_;
};

/// Never destroyed: other threads may free memory while the process ends.
Blocks& blocks() {
    static auto* const all = new Blocks;
    return *all;
}

cudaError_t allocate(void** address, std::size_t bytes, cudaMemoryType type) {
    if (address == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    *address = nullptr;
    if (bytes == 0) {
        return cudaSuccess;
    }
    // Linux overcommits memory; a device does not.
    if (bytes > machineMemory().total) {
        return report(cudaErrorMemoryAllocation);
    }
    std::size_t const rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* const memory = std::aligned_alloc(kAlignment, rounded);
    if (memory == nullptr) {
        return report(cudaErrorMemoryAllocation);
    }
    cudaError_t const error = guarded([&] {
        blocks().add({reinterpret_cast<std::uintptr_t>(memory), bytes, type, false});
        return cudaSuccess;
    });
    if (error == cudaSuccess) {
        *address = memory;
    } else {
        std::free(memory);
    }
    return error;
}

cudaError_t release(void* address, bool host) {
    if (address == nullptr) {
        return cudaSuccess;
    }
    bool const removed = blocks().remove(address, [&](Block const& block) {
        return !block.registered && (block.type == cudaMemoryTypeHost) == host;
    });
    if (!removed) {
        return report(cudaErrorInvalidValue);
    }
    std::free(address);
    return cudaSuccess;
}

} // namespace
} // namespace kiln::cudart

using namespace kiln::cudart;

cudaError_t cudaMalloc(void** devPtr, size_t size) {
    return allocate(devPtr, size, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
    bool const valid = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
    if (!valid || size == 0) {
        return report(cudaErrorInvalidValue);
    }
    return allocate(devPtr, size, cudaMemoryTypeManaged);
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t stream) {
    cudaError_t const error = report(checkStream(stream));
    return error == cudaSuccess ? allocate(devPtr, size, cudaMemoryTypeDevice) : error;
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
    return allocate(ptr, size, cudaMemoryTypeHost);
}

cudaError_t cudaHostAlloc(void** ptr, size_t size, unsigned int flags) {
    constexpr unsigned int kAll =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kAll) != 0) {
        return report(cudaErrorInvalidValue);
    }
    return allocate(ptr, size, cudaMemoryTypeHost);
}

cudaError_t cudaFree(void* devPtr) {
    return release(devPtr, false);
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t stream) {
    cudaError_t const error = report(checkStream(stream));
    return error == cudaSuccess ? release(devPtr, false) : error;
}

cudaError_t cudaFreeHost(void* ptr) {
    return release(ptr, true);
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
    constexpr unsigned int kAll = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                  cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (ptr == nullptr || size == 0 || (flags & ~kAll) != 0) {
        return report(cudaErrorInvalidValue);
    }
    if (blocks().find(ptr)) {
        return report(cudaErrorHostMemoryAlreadyRegistered);
    }
    return guarded([&] {
        blocks().add({reinterpret_cast<std::uintptr_t>(ptr), size, cudaMemoryTypeHost, true});
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* ptr) {
    bool const removed = blocks().remove(ptr, [](Block const& block) { return block.registered; });
    return removed ? cudaSuccess : report(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** devPtr, void* ptr, unsigned int flags) {
    std::optional<Block> const block = blocks().find(ptr);
    if (devPtr == nullptr || flags != 0 || !block || block->type != cudaMemoryTypeHost) {
        return report(cudaErrorInvalidValue);
    }
    *devPtr = ptr;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    if (free == nullptr || total == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    MachineMemory const memory = machineMemory();
    *free = memory.available;
    *total = memory.total;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* ptr) {
    if (attributes == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    std::optional<Block> const block = blocks().find(ptr);
    cudaMemoryType const type = block ? block->type : cudaMemoryTypeUnregistered;
    void* const address = const_cast<void*>(ptr);
    attributes->type = type;
    attributes->device = block ? 0 : -2; // CUDA's value for unregistered memory
    attributes->devicePointer = block ? address : nullptr;
    attributes->hostPointer = type == cudaMemoryTypeDevice ? nullptr : address;
    return cudaSuccess;
}
