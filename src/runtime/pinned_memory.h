// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "target/device.h"

namespace kiln::runtime {

/// Owns pinned host memory, which a device copies from without the host. Empty for 0 bytes.
class PinnedMemory {
public:
    PinnedMemory() = default;
    PinnedMemory(target::Device& device, std::size_t bytes)
        : device_(&device),
          data_(bytes == 0 ? nullptr : static_cast<std::byte*>(device.allocateHost(bytes))) {}
    ~PinnedMemory() {
        if (data_ != nullptr) {
            device_->releaseHost(data_);
        }
    }
    PinnedMemory(PinnedMemory&& other) noexcept { swap(other); }
    PinnedMemory& operator=(PinnedMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    PinnedMemory(PinnedMemory const&) = delete;
    PinnedMemory& operator=(PinnedMemory const&) = delete;

    std::byte* data() const noexcept { return data_; }

private:
    void swap(PinnedMemory& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(data_, other.data_);
    }

    target::Device* device_ = nullptr;
    std::byte* data_ = nullptr;
};

} // namespace kiln::runtime
