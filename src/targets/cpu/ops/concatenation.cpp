// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// concatenation: joins the inputs along one axis. Each input is [outer, bytes], where bytes covers
// the joined axis and all axes inside it; an output row is the inputs' rows one after the other.
// Any type of whole bytes; threads share the rows.
#include "graph/ops/concatenation.h"

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct ConcatenationReference {
    using Op = graph::Concatenation;
    struct State {
        int64_t rows = 1;
        int64_t rowBytes = 0;           ///< of the output
        std::vector<int64_t> partBytes; ///< of one row of each input
    };

    static Op inOrder(Op const& op, MemoryOrder order, int32_t rank) {
        Op result = op;
        result.axis = order.placeOf(op.axisFor(rank), rank);
        return result;
    }

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        int32_t const axis = op.axisFor(workload.outputs[0].nbDims);
        state = {};
        for (int32_t i = 0; i < axis; ++i) {
            state.rows *= workload.outputs[0].d[i];
        }
        for (Dims const& input : workload.inputs) {
            int64_t bytes = elementBytes(workload.type());
            for (int32_t i = axis; i < input.nbDims; ++i) {
                bytes *= input.d[i];
            }
            state.partBytes.push_back(bytes);
            state.rowBytes += bytes;
        }
        return launchOf<&run>;
    }

private:
    static void run(State const& state, KernelCall const& call) {
        auto* to = static_cast<std::byte*>(call.outputs[0]);
        parallelFor(state.rows, grainFor(state.rowBytes / 16), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                std::byte* target = to + row * state.rowBytes;
                for (std::size_t i = 0; i < state.partBytes.size(); ++i) {
                    int64_t const bytes = state.partBytes[i];
                    if (bytes > 0) {
                        std::memcpy(target,
                                    static_cast<std::byte const*>(call.inputs[i]) + row * bytes,
                                    static_cast<std::size_t>(bytes));
                    }
                    target += bytes;
                }
            }
        });
    }
};

} // namespace

void registerKernel_concatenation(KernelRegistry& registry) {
    registry.add(entryOf<ConcatenationReference>("concatenation_reference"));
}

} // namespace kiln::targets::cpu
