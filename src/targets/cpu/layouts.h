// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "target/layout.h"

namespace kiln::targets::cpu {

/// The layouts of the target's own: channels last, padded with zeros to whole vectors. Convolutions
/// of oneDNN in 16-bit types read the few channels of an image so.
std::span<target::Layout const> layouts();

/// The traits of an operand in a public format or a layout; empty if it does not fit the rank.
std::optional<FormatTraits> operandTraits(target::OperandType const& type, int32_t rank);

} // namespace kiln::targets::cpu
