// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/dims.h"
#include "base/dtype.h"

namespace kiln {

/// How a format orders elements: which dimension holds the channels, whether it varies fastest, and
/// how many channels form a vector (its extent is rounded up to a multiple of that).
struct FormatTraits {
    int32_t channelsFromEnd = 0; ///< dimension rank - channelsFromEnd; 0: linear
    bool channelsLast = false;   ///< all channels of a position are adjacent, not only a vector
    int64_t vector = 1;

    bool operator==(FormatTraits const&) const = default;
};

/// Empty for formats that need hardware which no target has (DLA).
std::optional<FormatTraits> traitsOf(TensorFormat format) noexcept;

/// Whether a tensor of that type and rank can be ordered like this.
bool fits(FormatTraits const& traits, DataType type, int32_t rank) noexcept;
/// Whether it can have the format.
bool fitsFormat(TensorFormat format, DataType type, int32_t rank) noexcept;

/// Bytes of a tensor with its padding. Returns false if the number of bits overflows int64_t, an
/// extent is negative or the format does not fit.
bool storageBytes(DataType type, TensorFormat format, Dims const& dims, uint64_t& bytes) noexcept;

bool storageBytes(DataType type, FormatTraits const& traits, Dims const& dims,
                  uint64_t& bytes) noexcept;

/// Like above, but throws kInvalidArgument, naming `what`.
std::size_t storageBytes(DataType type, TensorFormat format, Dims const& dims,
                         std::string_view what);

/// Stride of each dimension, in elements. For vectorized channels: the stride from one vector to
/// the next. -1 if the stride depends on an unknown extent.
Dims stridesOf(TensorFormat format, Dims const& dims) noexcept;

} // namespace kiln
