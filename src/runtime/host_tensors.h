// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/device_copies.h"
#include "runtime/host_values.h"

namespace kiln::runtime {

/// The tensors of a context whose elements the host knows: those computed from shapes, inputs that
/// are read by value, and shape outputs. If kernels cannot read host memory, they get copies on the
/// device.
class HostTensors {
public:
    /// The arguments must outlive the object. `capacity`: bytes by tensor.
    HostTensors(plan::Document const& document, std::vector<uint64_t> const& capacity,
                target::Device& device);

    /// Whether the user's address of an input or output is in host memory on every target.
    bool isHostMemory(int32_t tensor) const { return user_[static_cast<std::size_t>(tensor)]; }
    /// The fixed address of an input of a step that does not use the tensor's own memory: a
    /// constant that the host reads, or the device copy of a host tensor. Else null.
    void* fixedInput(plan::StepRecord const& step, std::size_t input) const;
    /// Host memory of a tensor that is computed from shapes. The address never changes.
    void* of(int32_t tensor) noexcept { return values_.of(tensor); }

    /// Writes the tensors that are computed from shapes, from a table of expression values.
    void write(std::span<int64_t const> values);
    void write(std::span<int64_t const> values, std::span<int32_t const> tensors);
    /// Takes the current elements of an input that is read by value.
    void take(int32_t tensor, void const* data, std::size_t bytes) {
        copies_.set(tensor, data, bytes);
    }

    /// Whether elements changed that are not on the device yet.
    bool pending() const noexcept { return copies_.pending(); }
    /// Uploads them, before later work on the stream. Does not wait for the stream.
    void upload(target::StreamHandle stream) { copies_.upload(device_, stream); }

private:
    void stage(int32_t tensor);

    plan::Document const& document_;
    std::vector<uint64_t> const& capacity_;
    target::Device& device_;
    std::vector<bool> user_; ///< by tensor: isHostMemory()
    HostValues values_;
    DeviceCopies copies_; ///< empty if kernels read host memory
};

} // namespace kiln::runtime
