// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <NvInferRuntime.h>

#include "backend/backend.h"

namespace kiln::runtime {

/// Memory of a target, released when it goes. Empty for 0 bytes. `what` it is for stands in the
/// message when there is not enough.
class DeviceBuffer {
public:
    static constexpr std::size_t kAlignment = 256;

    DeviceBuffer() = default;
    /// From the user's `allocator`, or, where there is none, from the target itself. It can be used
    /// on any stream.
    DeviceBuffer(backend::Backend& backend, std::size_t bytes, std::string_view what,
                 nvinfer1::IGpuAllocator* allocator = nullptr);
    /// The target's own memory may still be in use; what the user's allocator gave, and what work
    /// is done on it, is the user's to know.
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
        std::swap(backend_, other.backend_);
        std::swap(allocator_, other.allocator_);
        std::swap(data_, other.data_);
    }

    backend::Backend* backend_ = nullptr;
    nvinfer1::IGpuAllocator* allocator_ = nullptr;
    void* data_ = nullptr;
};

} // namespace kiln::runtime
