// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// counted copy: the first entries of a tensor, as many as a second operand says.
#include "graph/ops/counted_copy.h"

#include <algorithm>
#include <cstring>

#include "targets/cpu/op_kernel.h"

namespace kiln::targets::cpu {
namespace {

struct CountedCopyReference {
    using Op = graph::CountedCopy;
    struct State {
        std::size_t entryBytes = 0;
        int64_t most = 0;
        bool wide = false; ///< the number has 64 bits
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return bitsOf(node.inputs[0].type.type) < 8 ? "expected elements of whole bytes"
                                                    : std::string();
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.entryBytes = bytesFor(workload.type(), op.entryVolume(workload.inputs[0]));
        state.most = workload.inputs[0].d[op.axis];
        state.wide = workload.inputTypes[1].type == DataType::kINT64;
        return launchOf<&copy>;
    }

    static void copy(State const& state, KernelCall const& call) {
        int64_t count = 0;
        int32_t narrow = 0;
        std::memcpy(state.wide ? static_cast<void*>(&count) : &narrow, call.inputs[1],
                    state.wide ? sizeof(count) : sizeof(narrow));
        count = std::clamp<int64_t>(state.wide ? count : narrow, 0, state.most);
        if (count > 0 && state.entryBytes > 0) {
            std::memmove(call.outputs[0], call.inputs[0],
                         static_cast<std::size_t>(count) * state.entryBytes);
        }
    }
};

} // namespace

void registerKernel_counted_copy(KernelRegistry& registry) {
    registry.add(entryOf<CountedCopyReference>("counted_copy_reference"));
}

} // namespace kiln::targets::cpu
