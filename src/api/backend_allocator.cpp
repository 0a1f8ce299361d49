// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <mutex>

#include "api/runtime.h"
#include "target/backend_registry.h"

namespace kiln::api {
namespace {

/// IGpuAllocator over the memory of a target.
class BackendAllocator final : public nvinfer1::IGpuAllocator {
public:
    explicit BackendAllocator(target::Backend& backend) : backend_(backend) {}

    void* allocate(uint64_t size, uint64_t alignment, nvinfer1::AllocatorFlags) noexcept override {
        try {
            return size == 0
                       ? nullptr
                       : backend_.allocate(size, alignment == 0 ? 256 : alignment, "an allocator");
        } catch (...) {
            return nullptr; // required by the interface; the caller reports it
        }
    }
    bool deallocate(void* memory) noexcept override {
        if (memory != nullptr) {
            backend_.release(memory);
        }
        return true;
    }

private:
    target::Backend& backend_;
};

} // namespace

nvinfer1::IGpuAllocator* backendAllocator(std::string const& target) {
    static std::mutex mutex;
    static auto* const known = new std::map<std::string, std::unique_ptr<BackendAllocator>>;
    std::lock_guard const lock(mutex);
    std::unique_ptr<BackendAllocator>& allocator = (*known)[target];
    if (allocator == nullptr) {
        allocator =
            std::make_unique<BackendAllocator>(target::BackendRegistry::instance().open(target));
    }
    return allocator.get();
}

} // namespace kiln::api
