// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// A region with an anchor in two launches: the best kernel for the anchor alone, then a generated
/// one that computes the operations behind it in place. It takes every region whose anchor and
/// chain have kernels, so a region never fails for lack of a fused kernel.
target::KernelEntry regionParts();

} // namespace kiln::targets::cuda
