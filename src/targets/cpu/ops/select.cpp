// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// select: input 1 where the condition (a nonzero byte) holds, else input 2, with broadcasting. Any
// type of whole bytes. The output is written in order, the inputs are read with strides; threads
// share the rows.
#include "graph/ops/select.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/pointwise/kernel.h"

namespace kiln::targets::cpu {
namespace {

struct SelectReference {
    using Op = graph::Select;
    struct State {
        Nest<3> nest;
    };

    static Op inOrder(Op const& op, MemoryOrder, int32_t) { return op; }

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 1); }

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        state.nest = broadcastNest<3>(workload.outputs[0],
                                      {workload.inputs[0], workload.inputs[1], workload.inputs[2]},
                                      workload.outputs[0].nbDims);
        return dispatchWidth(
            workload.inputTypes[1].type, "select",
            [](auto unit) -> target::KernelFunction { return launchOf<&run<decltype(unit)>>; });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* condition = static_cast<uint8_t const*>(call.inputs[0]);
        auto const* then = static_cast<T const*>(call.inputs[1]);
        auto const* otherwise = static_cast<T const*>(call.inputs[2]);
        auto* to = static_cast<T*>(call.outputs[0]);
        Nest<3> const& nest = state.nest;
        int64_t const inner = nest.inner();
        parallelFor(nest.rows(), grainFor(inner), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                auto const [c, a, b] = nest.atRow(row);
                for (int64_t i = 0; i < inner; ++i) {
                    bool const holds = condition[c + i * nest.innerStride(0)] != 0;
                    to[row * inner + i] = holds ? then[a + i * nest.innerStride(1)]
                                                : otherwise[b + i * nest.innerStride(2)];
                }
            }
        });
    }
};

} // namespace

void registerKernel_select(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Select>>("select_vector"));
    registry.add(entryOf<SelectReference>("select_reference"));
}

} // namespace kiln::targets::cpu
