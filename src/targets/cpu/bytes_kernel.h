// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an op whose output has the bytes of its input.
#pragma once

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {

template <typename OpWithSameBytes>
struct BytesKernel {
    using Op = OpWithSameBytes;
    using State = BytesToCopy;

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        state.count = bytesFor(workload.type(), volume(workload.inputs[0], Op::kKind));
        return launchOf<&copyBytes>;
    }
};

} // namespace kiln::targets::cpu
