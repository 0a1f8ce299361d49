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
    HostTensors(plan::Document const& document, Table<plan::TensorId, uint64_t> const& capacity,
                target::Device& device);

    /// Whether the user's address of an input or output is in host memory on every target.
    bool isHostMemory(plan::TensorId tensor) const { return user_[tensor]; }
    /// The fixed address of an input of a step that does not use the tensor's own memory: a
    /// constant that the host reads, or the device copy of a host tensor. Else null.
    void* fixedInput(plan::StepRecord const& step, std::size_t input) const;
    /// Host memory of a tensor that is computed from shapes. The address never changes.
    void* of(plan::TensorId tensor) noexcept { return values_.of(tensor); }

    /// Writes the tensors that are computed from shapes, from a table of expression values.
    void write(std::span<int64_t const> values);
    void write(std::span<int64_t const> values, std::span<plan::TensorId const> tensors);
    /// Takes the current elements of an input that is read by value.
    void take(plan::TensorId tensor, void const* data, std::size_t bytes) {
        copies_.set(tensor, data, bytes);
    }

    /// Whether elements changed that are not on the device yet.
    bool pending() const noexcept { return copies_.pending(); }
    /// Uploads them, before later work on the stream. Does not wait for the stream.
    void upload(target::StreamHandle stream) { copies_.upload(device_, stream); }

private:
    void stage(plan::TensorId tensor);

    plan::Document const& document_;
    Table<plan::TensorId, uint64_t> const& capacity_;
    target::Device& device_;
    Table<plan::TensorId, bool> user_; ///< isHostMemory()
    HostValues values_;
    DeviceCopies copies_; ///< empty if kernels read host memory
};

} // namespace kiln::runtime
