// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// identity: output = input. Any type of whole bytes; the bytes are copied.
#include "graph/ops/identity.h"

#include <cstring>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct IdentityReference {
    using Op = graph::Identity;
    using State = BytesToCopy;

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        state.count = bytesFor(workload.type(), volume(workload.inputs[0], "identity"));
        return launchOf<&copyBytes>;
    }
};

} // namespace

void registerKernel_identity(KernelRegistry& registry) {
    registry.add(entryOf<IdentityReference>("identity_reference"));
}

} // namespace kiln::targets::cpu
