// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <mutex>

#include "api/runtime.h"

namespace kiln::api {
namespace {

/// IGpuAllocator over the memory of a device; without a device, it has none to give.
class DeviceAllocator final : public nvinfer1::IGpuAllocator {
public:
    explicit DeviceAllocator(target::Device* device) : device_(device) {}

    void* allocate(uint64_t size, uint64_t alignment, nvinfer1::AllocatorFlags) noexcept override {
        try {
            return size == 0 || device_ == nullptr
                       ? nullptr
                       : device_->allocate(size, alignment == 0 ? 256 : alignment, "an allocator");
        } catch (...) {
            return nullptr; // required by the interface; the caller reports it
        }
    }
    bool deallocate(void* memory) noexcept override {
        if (memory != nullptr) {
            device_->release(memory);
        }
        return true;
    }

private:
    target::Device* device_;
};

} // namespace

nvinfer1::IGpuAllocator* deviceAllocator(target::Device* device) {
    static std::mutex mutex;
    static auto* const known = new std::map<target::Device*, std::unique_ptr<DeviceAllocator>>;
    std::lock_guard const lock(mutex);
    std::unique_ptr<DeviceAllocator>& allocator = (*known)[device];
    if (allocator == nullptr) {
        allocator = std::make_unique<DeviceAllocator>(device);
    }
    return allocator.get();
}

} // namespace kiln::api
