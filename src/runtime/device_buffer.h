// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <NvInferRuntime.h>

#include "target/device.h"

namespace kiln::runtime {

/// Owns memory of a target. Empty for 0 bytes. `what` names the purpose in out-of-memory errors.
class DeviceBuffer {
public:
    static constexpr std::size_t kAlignment = 256;

    DeviceBuffer() = default;
    /// Allocates with the user's `allocator`; null: from the target. The memory can be used on any
    /// stream.
    DeviceBuffer(target::Device& device, std::size_t bytes, std::string_view what,
                 nvinfer1::IGpuAllocator* allocator = nullptr);
    /// Work may still use memory of the target. For memory of the user's allocator, the user must
    /// know that work on it is done.
    ~DeviceBuffer() { release(); }
    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    DeviceBuffer(DeviceBuffer const&) = delete;
    DeviceBuffer& operator=(DeviceBuffer const&) = delete;

    void* data() const noexcept { return data_; }

private:
    void release() noexcept;
    void swap(DeviceBuffer& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(allocator_, other.allocator_);
        std::swap(data_, other.data_);
    }

    target::Device* device_ = nullptr;
    nvinfer1::IGpuAllocator* allocator_ = nullptr;
    void* data_ = nullptr;
};

} // namespace kiln::runtime
