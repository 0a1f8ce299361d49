// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/dims.h"
#include "base/dtype.h"

namespace kiln {

/// How a format orders elements: which dimension holds the channels, whether they are the fastest,
/// and how many of them make a vector (the extent is rounded up to a multiple of that).
struct FormatTraits {
    int32_t channelsFromEnd = 0; ///< dimension rank - channelsFromEnd; 0: linear
    bool channelsLast = false;   ///< all channels of a place together, or in vectors
    int64_t vector = 1;
};

/// Nothing for formats that need hardware which no target has (DLA).
std::optional<FormatTraits> traitsOf(TensorFormat format) noexcept;

/// Whether a tensor of that rank and type can be laid out so.
bool fitsFormat(TensorFormat format, DataType type, int32_t rank) noexcept;

/// Bytes of a tensor with its padding; false when they pass 63 bits, an extent is negative or the
/// format does not fit.
bool storageBytes(DataType type, TensorFormat format, Dims const& dims, uint64_t& bytes) noexcept;

/// The same; throws kInvalidArgument, naming `what`.
std::size_t storageBytes(DataType type, TensorFormat format, Dims const& dims,
                         std::string_view what);

/// Steps along each dimension, in elements. Of channels that stand in vectors: the step from one
/// vector to the next. -1 where an extent behind it is not known.
Dims stridesOf(TensorFormat format, Dims const& dims) noexcept;

} // namespace kiln
