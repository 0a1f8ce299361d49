// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <NvInferRuntime.h>

namespace kiln::trtexec {

/// Where a format keeps the elements of a tensor, which users think of in C order.
class Layout {
public:
    /// Throws a Failure that names `tensor` for a format that needs more dimensions, needs a DLA,
    /// or for extents that are negative or overflow.
    Layout(std::string const& tensor, nvinfer1::TensorFormat format, nvinfer1::Dims const& dims);

    /// Elements that memory is needed for, the padding of vectors included.
    size_t elements() const noexcept { return elements_; }

    /// The place of the element that has this number in C order.
    size_t place(size_t number) const noexcept;

private:
    size_t channels_ = 1;
    size_t inner_ = 1; ///< places behind the channels' dimension, all together
    size_t vector_ = 1;
    size_t vectors_ = 1; ///< of channels
    bool linear_ = true;
    bool channelsLast_ = false;
    size_t elements_ = 1;
};

} // namespace kiln::trtexec
