// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// identity: output = input. Any type.
#include "graph/ops/identity.h"

#include "targets/cuda/bytes_kernel.h"

namespace kiln::targets::cuda {

void registerKernel_identity(KernelRegistry& registry) {
    registry.add(entryOf<BytesKernel<graph::Identity>>("identity_copy"));
}

} // namespace kiln::targets::cuda
