// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "target/candidate.h"

namespace kiln::targets::cuda {

/// The axes of a dense tensor in the order of memory, outermost first: [batch, height, width,
/// channels] for kHWC. Linear tensors are unchanged.
Dims inMemoryOrder(Dims const& dims, TensorFormat format);
/// The place of an axis in that order.
int32_t placeInMemory(int32_t axis, int32_t rank, TensorFormat format);

/// Why the operands, of which all with several axes must share one dense format (linear, kHWC or
/// kDHWC), do not; empty if they do. Kernels that treat all elements alike then work in the order
/// of memory.
std::string refuseMixedOrders(target::NodeSpec const& node);

/// The same for operands of a plan; throws kUnsupported.
void checkOneOrder(std::string_view kind, std::span<target::OperandType const> inputs,
                   std::span<target::OperandType const> outputs);

} // namespace kiln::targets::cuda
