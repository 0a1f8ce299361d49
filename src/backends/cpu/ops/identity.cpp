// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// identity: output = input. Any type of whole bytes; the bytes are copied.
#include "graph/ops/identity.h"

#include <cstring>

#include "backends/cpu/copy.h"

namespace kiln::backends::cpu {
namespace {

struct IdentityReference {
    using Op = graph::Identity;
    using State = BytesToCopy;

    static backend::KernelFunction prepare(Op const&, Problem const& problem, State& state) {
        state.count = bytesFor(problem.type(), volume(problem.inputs[0], "identity"));
        return launchOf<&copyBytes>;
    }
};

} // namespace

void registerKernel_identity(KernelRegistry& registry) {
    registry.add(entryOf<IdentityReference>("identity_reference"));
}

} // namespace kiln::backends::cpu
