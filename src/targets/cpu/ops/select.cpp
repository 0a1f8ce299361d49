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
        forRowPieces(nest, 1, [&](int64_t row, int64_t first, int64_t count) {
            auto const [c, a, b] = nest.atRow(row);
            Operands<T> const from{condition + c + first * nest.innerStride(0),
                                   then + a + first * nest.innerStride(1),
                                   otherwise + b + first * nest.innerStride(2)};
            T* const result = to + row * nest.inner() + first;
            int64_t const steps[] = {nest.innerStride(0), nest.innerStride(1), nest.innerStride(2)};
            if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1) { // as vectors
                choose(from, 1, 1, 1, result, count);
            } else if (steps[0] == 1 && steps[1] == 1 && steps[2] == 0) {
                choose(from, 1, 1, 0, result, count);
            } else if (steps[0] == 1 && steps[1] == 0 && steps[2] == 1) {
                choose(from, 1, 0, 1, result, count);
            } else {
                choose(from, steps[0], steps[1], steps[2], result, count);
            }
        });
    }

    template <typename T>
    struct Operands {
        uint8_t const* condition;
        T const* then;
        T const* otherwise;
    };

    template <typename T>
    [[gnu::always_inline]] static inline void choose(Operands<T> const& from, int64_t stepC,
                                                     int64_t stepA, int64_t stepB, T* to,
                                                     int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
            T const x = from.then[i * stepA]; // both are read, so that there is no branch
            T const y = from.otherwise[i * stepB];
            to[i] = from.condition[i * stepC] != 0 ? x : y;
        }
    }
};

} // namespace

void registerKernel_select(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Select>>("select_vector"));
    registry.add(entryOf<SelectReference>("select_reference"));
}

} // namespace kiln::targets::cpu
