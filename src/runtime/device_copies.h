// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "plan/document.h"
#include "runtime/device_buffer.h"

namespace kiln::runtime {

/// Device copies of host tensors, for kernels that cannot read host memory. Belongs to one context.
class DeviceCopies {
public:
    /// Requests a copy. Call before allocate().
    void want(plan::TensorId tensor, std::size_t bytes);
    bool wanted(plan::TensorId tensor) const { return places_.count(tensor) != 0; }
    void allocate(target::Device& device);

    void* of(plan::TensorId tensor) const;
    /// Stages the current elements of a tensor.
    void set(plan::TensorId tensor, void const* data, std::size_t bytes);
    /// Whether staged elements are not on the device yet.
    bool pending() const noexcept { return pending_; }
    /// Uploads them, before later work on the stream. Does not wait for the stream.
    void upload(target::Device& device, target::StreamHandle stream);

private:
    struct Place {
        std::size_t offset;
        std::size_t bytes;
    };

    std::map<plan::TensorId, Place> places_;
    std::vector<std::byte> staged_; ///< pageable: the driver reads it during the upload call
    DeviceBuffer device_;
    bool pending_ = false;
};

} // namespace kiln::runtime
