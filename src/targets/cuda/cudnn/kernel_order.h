// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "base/dims.h"

namespace kiln::targets::cuda {

/// The kernel weights [maps, channels, spatial...] with channels last, padded with zeros to
/// `channels`: [maps, spatial..., channels]. Throws kCorruptData if the bytes do not fit the dims.
Bytes kernelWithChannelsLast(ByteView weights, Dims const& dims, std::size_t elementBytes,
                             int64_t channels);

} // namespace kiln::targets::cuda
