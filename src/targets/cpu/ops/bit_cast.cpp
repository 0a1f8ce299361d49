// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// bit cast: the bytes are copied.
#include "graph/ops/bit_cast.h"

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct BitCastReference {
    using Op = graph::BitCast;
    using State = BytesToCopy;

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        state.count = bytesFor(workload.type(), volume(workload.inputs[0], "bit cast"));
        return launchOf<&copyBytes>;
    }
};

} // namespace

void registerKernel_bit_cast(KernelRegistry& registry) {
    registry.add(entryOf<BitCastReference>("bit_cast_reference"));
}

} // namespace kiln::targets::cpu
