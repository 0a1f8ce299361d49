// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/document.h"
#include "target/device.h"

namespace kiln::runtime {

/// Values that kernels compute and the host decides by: conditions, numbers of passes and what
/// must hold. Each is a copy to pinned memory and a wait for the stream. Belongs to one context.
class Decisions {
public:
    /// `capacity`: bytes by tensor. The device must outlive the object.
    Decisions(target::Device& device, plan::Document const& document,
              Table<plan::TensorId, uint64_t> const& capacity);
    ~Decisions();
    Decisions(Decisions const&) = delete;
    Decisions& operator=(Decisions const&) = delete;

    /// The element at an address, behind all work on the stream.
    int64_t number(DataType type, void const* from, target::StreamHandle stream);
    /// Whether none of `count` elements is 0.
    bool holds(DataType type, void const* from, int64_t count, target::StreamHandle stream);

private:
    void read(DataType type, void const* from, std::size_t count, target::StreamHandle stream);

    target::Device& device_;
    void* memory_ = nullptr;        ///< null if nothing is decided by values of the device
    std::vector<int64_t> elements_; ///< just read
};

} // namespace kiln::runtime
