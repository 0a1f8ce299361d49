// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plan/document.h"

namespace kiln::runtime {

/// The tensors of a plan whose elements are computed on the host (TensorRole::kValues).
class HostValues {
public:
    explicit HostValues(plan::Document const& document);

    /// Host memory of such a tensor. The address never changes.
    void* of(plan::TensorId tensor) noexcept;
    /// Writes the elements of all these tensors from a table of expression values.
    void write(std::span<int64_t const> values);
    /// Writes the elements of one of them; does nothing for other tensors.
    void write(std::span<int64_t const> values, plan::TensorId tensor);

private:
    plan::Document const& document_;
    Table<plan::TensorId, std::size_t> offset_; ///< in elements of memory_
    std::vector<int64_t> memory_;
};

/// Reads the elements of an int32, int64 or bool tensor at `data`.
void readValues(DataType type, void const* data, std::span<int64_t> values);
/// Writes numbers as elements of such a type. A bool is true unless its number is 0.
void writeValues(DataType type, std::span<int64_t const> values, void* data);

} // namespace kiln::runtime
