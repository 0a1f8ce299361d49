// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// concatenation: joins the inputs along one axis. Each input is [outer, bytes], where bytes covers
// the joined axis and all axes inside it; an output row is the inputs' rows one after the other.
// Any type of whole bytes; threads share the rows, and pieces of long ones.
#include "graph/ops/concatenation.h"

#include <algorithm>

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
    /// Of a long row. Copies of more bytes would also go past the caches.
    static constexpr int64_t kPiece = 65536;

    static void run(State const& state, KernelCall const& call) {
        int64_t const pieces = std::max<int64_t>(1, (state.rowBytes + kPiece - 1) / kPiece);
        int64_t const steps = std::min(state.rowBytes, kPiece) / 16;
        parallelFor(state.rows * pieces, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t task = begin; task < end; ++task) {
                int64_t const first = task % pieces * kPiece;
                copyPiece(state, call, task / pieces, first,
                          std::min(kPiece, state.rowBytes - first));
            }
        });
    }

    /// Bytes [first, first + count) of an output row.
    static void copyPiece(State const& state, KernelCall const& call, int64_t row, int64_t first,
                          int64_t count) {
        std::byte* const to = static_cast<std::byte*>(call.outputs[0]) + row * state.rowBytes;
        int64_t start = 0; // of a part in the row
        for (std::size_t i = 0; i < state.partBytes.size() && start < first + count; ++i) {
            int64_t const bytes = state.partBytes[i];
            int64_t const from = std::max(start, first);
            int64_t const end = std::min(start + bytes, first + count);
            if (from < end) {
                std::memcpy(to + from,
                            static_cast<std::byte const*>(call.inputs[i]) + row * bytes + from -
                                start,
                            static_cast<std::size_t>(end - from));
            }
            start += bytes;
        }
    }
};

} // namespace

void registerKernel_concatenation(KernelRegistry& registry) {
    registry.add(entryOf<ConcatenationReference>("concatenation_reference"));
}

} // namespace kiln::targets::cpu
