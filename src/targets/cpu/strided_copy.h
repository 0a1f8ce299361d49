// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies from strided elements to dense ones: transposes, slices, changes of memory order.
#pragma once

#include "target/nest.h"

namespace kiln::targets::cpu {

/// to[i] = the i-th element of the nest's loops over `from`, for elements of 1, 2, 4 or 8 bytes.
/// Contiguous rows are copied whole. If another loop than the innermost is contiguous in `from`,
/// blocks are transposed in registers; threads share the blocks.
void copyStrided(target::Nest<1> const& nest, int64_t elementBytes, void const* from,
                 void* to) noexcept;

} // namespace kiln::targets::cpu
