// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cpu {

/// Adds the kernel for products of a few rows with constant weights, for the op MatrixMultiply or
/// Region.
void addFewRows(target::KernelRegistry& registry, std::string_view op);

} // namespace kiln::targets::cpu
