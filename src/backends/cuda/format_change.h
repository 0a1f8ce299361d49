// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/permutation.h"
#include "base/tensor_layout.h"

namespace kiln::backends::cuda {

/// Where element [outer, channel, inner] lies in a format, as kernels/reformat.cuh takes it.
struct ChannelLayout {
    int64_t outerStep = 0;
    int64_t vectorStep = 0; ///< from a vector of channels to the next
    int64_t innerStep = 1;
    FastDivide vector;
};

/// A tensor that goes from one memory format to another.
struct FormatChange {
    int64_t outer = 1;
    int64_t channels = 1;
    int64_t padded = 1; ///< channels that the target has room for
    int64_t inner = 1;
    ChannelLayout from;
    ChannelLayout to;

    /// The formats fit the rank. Two different dimensions for the channels never meet: one side is
    /// linear then.
    FormatChange(FormatTraits const& source, FormatTraits const& target, Dims const& dims);

    /// As a change of the order of axes, channels cut into vectors. One of the formats is linear or
    /// channels-last; nothing where both have vectors of their own.
    std::optional<Permutation> permutation() const;
};

} // namespace kiln::backends::cuda
