// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/workload/node_at.h"
#include "targets/cuda/blaslt/product_code.h"
#include "targets/cuda/blaslt/product_operands.h"

namespace kiln::targets::cuda {

/// The product of a node at a corner of its profiles.
ProductOperands::Described describeAt(ProductOperands const& operands, target::NodeSpec const& node,
                                      target::NodeAt::Point corner);

/// Times the heuristic's algorithms at the optimum shapes, on operands of zeros, and stores the
/// fastest one. Needs a GPU and cuBLASLt.
void chooseAlgorithm(target::NodeSpec const& node, ProductCode& code);

} // namespace kiln::targets::cuda
