// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cuda/driver/driver_types.h"
#include "targets/cuda/quantized/quantized_arguments.h"

namespace kiln::targets::cuda {

/// The operands of a product or convolution of bytes for the copy engine of GPUs of compute
/// capability 9.0, which copies 128 terms at a time: of 128 positions of the left operand (those of
/// one tap, for 128 neighbouring results), and of `tileColumns` columns of the right one. False if
/// it cannot; then threads copy.
bool describeLeft(CUtensorMap& map, QuantizedArguments const& arguments,
                  void const* address) noexcept;
bool describeRight(CUtensorMap& map, QuantizedArguments const& arguments, void const* address,
                   int64_t tileColumns) noexcept;

} // namespace kiln::targets::cuda
