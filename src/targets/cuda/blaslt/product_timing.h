// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel.h"
#include "targets/cuda/blaslt/product_code.h"
#include "targets/cuda/blaslt/product_operands.h"

namespace kiln::targets::cuda {

std::vector<target::OperandType> typesOf(std::span<target::OperandSpec const> operands);

/// The product of a node at the corner `min`, `opt` or `max` of its profiles.
ProductOperands::Described describeAt(ProductOperands const& operands, target::NodeSpec const& node,
                                      Dims target::OperandSpec::* corner);

/// Times the heuristic's algorithms at the optimum shapes, on operands of zeros, and stores the
/// fastest one. Needs a GPU and cuBLASLt.
void chooseAlgorithm(target::NodeSpec const& node, ProductCode& code);

} // namespace kiln::targets::cuda
