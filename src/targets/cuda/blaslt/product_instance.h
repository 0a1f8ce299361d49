// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "target/kernel.h"

namespace kiln::targets::cuda {

/// The number in a constant of one element; throws kCorruptData if there is none.
float numberIn(target::ConstantOperand const& constant, DataType type);

/// The kernel of a record that product_kernel.h made.
std::unique_ptr<target::Kernel> loadProduct(target::KernelRecord const& record,
                                            std::span<target::ConstantOperand const> constants);

} // namespace kiln::targets::cuda
