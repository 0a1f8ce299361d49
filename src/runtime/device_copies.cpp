// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_copies.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace kiln::runtime {

void DeviceCopies::want(plan::TensorId tensor, std::size_t bytes) {
    constexpr std::size_t kAlignment = 16; // kernels read that many bytes at once
    if (places_.emplace(tensor, Place{staged_.size(), bytes}).second) {
        staged_.resize(staged_.size() + roundUp(std::max<std::size_t>(bytes, 1), kAlignment));
    }
}

void DeviceCopies::allocate(target::Device& device) {
    device_ = DeviceBuffer(device, staged_.size(), "values of tensors that live on the host");
    pending_ = !staged_.empty();
}

void* DeviceCopies::of(plan::TensorId tensor) const {
    return static_cast<std::byte*>(device_.data()) + places_.at(tensor).offset;
}

void DeviceCopies::set(plan::TensorId tensor, void const* data, std::size_t bytes) {
    auto const found = places_.find(tensor);
    if (found == places_.end() || bytes == 0) {
        return;
    }
    std::byte* const staged = staged_.data() + found->second.offset;
    std::size_t const taken = std::min(bytes, found->second.bytes);
    if (std::memcmp(staged, data, taken) != 0) {
        std::memcpy(staged, data, taken);
        pending_ = true;
    }
}

void DeviceCopies::upload(target::Device& device, target::StreamHandle stream) {
    if (pending_) {
        device.copy(device_.data(), staged_.data(), staged_.size(), target::CopyKind::kHostToDevice,
                    stream);
        pending_ = false;
    }
}

} // namespace kiln::runtime
