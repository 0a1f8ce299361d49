// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// identity: output = input. Any type of whole bytes.
#include "graph/ops/identity.h"

#include "targets/cpu/bytes_kernel.h"

namespace kiln::targets::cpu {

void registerKernel_identity(KernelRegistry& registry) {
    registry.add(entryOf<BytesKernel<graph::Identity>>("identity_reference"));
}

} // namespace kiln::targets::cpu
