// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tensor_layout.h"
#include "targets/cuda/permutation.h"

namespace kiln::targets::cuda {

/// Maps element [outer, channel, inner] to its offset, in the layout of kernels/reformat.cuh.
struct ChannelLayout {
    int64_t outerStep = 0;
    int64_t vectorStep = 0; ///< from a vector of channels to the next
    int64_t innerStep = 1;
    FastDivide vector;
};

/// The change of a tensor from one memory format to another.
struct FormatChange {
    int64_t outer = 1;
    int64_t channels = 1;
    int64_t padded = 1; ///< channels of the target, padding included
    int64_t inner = 1;
    ChannelLayout from;
    ChannelLayout to;

    /// The formats must fit the rank. They never disagree on the channel axis, because one of them
    /// is linear.
    FormatChange(FormatTraits const& source, FormatTraits const& target, Dims const& dims);

    /// The change as a permutation of axes, with the channels split into vectors; nullopt if both
    /// formats have vectors, of different sizes.
    std::optional<Permutation> permutation() const;
};

} // namespace kiln::targets::cuda
