// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "backend/backend.h"

namespace kiln::runtime {

/// Memory of a target, released when it goes. Empty for 0 bytes. `what` it is for stands in the
/// message when there is not enough.
class DeviceBuffer {
public:
    static constexpr std::size_t kAlignment = 256;

    DeviceBuffer() = default;
    DeviceBuffer(backend::Backend& backend, std::size_t bytes, std::string_view what)
        : backend_(&backend),
          data_(bytes == 0 ? nullptr : backend.allocate(bytes, kAlignment, what)) {}
    ~DeviceBuffer() {
        if (data_ != nullptr) {
            backend_->release(data_);
        }
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    DeviceBuffer(DeviceBuffer const&) = delete;
    DeviceBuffer& operator=(DeviceBuffer const&) = delete;

    void* data() const noexcept { return data_; }

private:
    void swap(DeviceBuffer& other) noexcept {
        std::swap(backend_, other.backend_);
        std::swap(data_, other.data_);
    }

    backend::Backend* backend_ = nullptr;
    void* data_ = nullptr;
};

} // namespace kiln::runtime
