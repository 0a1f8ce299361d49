// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "target/kernel.h"

namespace kiln::target {

/// For kernels over feature maps: "expected ..., got ..." unless input and output are both linear
/// or both have channels last.
std::string refuseMapFormats(OperandType const& input, OperandType const& output, int32_t rank);

} // namespace kiln::target
