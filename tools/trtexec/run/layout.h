// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <NvInferRuntime.h>

namespace kiln::trtexec {

/// Maps the elements of a tensor from C order to their position in a format.
class Layout {
public:
    /// Throws a Failure that names `tensor` for a format that needs more dimensions, needs a DLA,
    /// or for extents that are negative or overflow.
    Layout(std::string const& tensor, nvinfer1::TensorFormat format, nvinfer1::Dims const& dims);

    /// The number of elements in memory, including vector padding.
    size_t elements() const noexcept { return elements_; }

    /// The position of an element, given its index in C order.
    size_t place(size_t number) const noexcept;

private:
    size_t channels_ = 1;
    size_t inner_ = 1; ///< product of the extents after the channel dimension
    size_t vector_ = 1;
    size_t vectors_ = 1; ///< number of channel vectors
    bool linear_ = true;
    bool channelsLast_ = false;
    size_t elements_ = 1;
};

} // namespace kiln::trtexec
