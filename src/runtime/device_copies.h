// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "runtime/device_buffer.h"

namespace kiln::runtime {

/// What kernels read in place of tensors that live on the host, where they can not read host
/// memory. Belongs to one context.
class DeviceCopies {
public:
    /// Before allocate().
    void want(int32_t tensor, std::size_t bytes);
    bool wanted(int32_t tensor) const { return places_.count(tensor) != 0; }
    void allocate(backend::Backend& backend);

    void* of(int32_t tensor) const;
    /// Notes what the tensor holds now.
    void set(int32_t tensor, void const* data, std::size_t bytes);
    /// Whether something was noted that the device does not have yet.
    bool pending() const noexcept { return pending_; }
    /// Brings it there, before what follows on the stream. Does not wait for the stream.
    void upload(backend::Backend& backend, backend::StreamHandle stream);

private:
    struct Place {
        std::size_t offset;
        std::size_t bytes;
    };

    std::map<int32_t, Place> places_; ///< by tensor
    std::vector<std::byte> staged_;   ///< pageable, so that the driver takes it when it is told to
    DeviceBuffer device_;
    bool pending_ = false;
};

} // namespace kiln::runtime
