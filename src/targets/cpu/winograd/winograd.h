// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cpu {

/// Adds the kernels for convolutions of 3 x 3 with constant weights, for the op Convolution or
/// Region.
void addWinograd(target::KernelRegistry& registry, std::string_view op);

} // namespace kiln::targets::cpu
