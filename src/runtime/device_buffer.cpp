// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_buffer.h"

#include "base/error.h"

namespace kiln::runtime {

DeviceBuffer::DeviceBuffer(target::Device& device, std::size_t bytes, std::string_view what,
                           nvinfer1::IGpuAllocator* allocator)
    : device_(&device), allocator_(allocator) {
    if (bytes == 0) {
        return;
    }
    if (allocator == nullptr) {
        data_ = device.allocate(bytes, kAlignment, what);
        return;
    }
    data_ = allocator->allocateAsync(bytes, kAlignment, 0, nullptr);
    if (data_ == nullptr) {
        fail(ErrorKind::kOutOfMemory,
             "[{}] the user's allocator gave no memory for {}: {} bytes are needed. Free some, or "
             "use smaller shapes.",
             device.target(), what, bytes);
    }
    try {
        device.synchronize(nullptr); // makes the memory usable on every stream
    } catch (...) {
        release();
        throw;
    }
}

void DeviceBuffer::release() noexcept {
    if (data_ == nullptr) {
        return;
    }
    if (allocator_ == nullptr) {
        device_->release(data_);
    } else {
        allocator_->deallocateAsync(data_, nullptr);
    }
}

} // namespace kiln::runtime
