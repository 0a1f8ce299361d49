// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cpu {

/// Adds the kernel for products with constant weights that a region dequantizes.
void addNarrowWeights(target::KernelRegistry& registry);

} // namespace kiln::targets::cpu
