// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// shuffle: transpose, reshape, transpose. A reshape moves nothing, so the work is one strided copy
// for each transpose that moves data; with two, the first goes to the workspace. Any type of 1, 2,
// 4 or 8 bytes.
#include "graph/ops/shuffle.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/strided_copy.h"

namespace kiln::targets::cpu {
namespace {

using graph::Shuffle;

/// Loops of one transpose of a source with these dimensions.
Nest<1> transposeNest(Dims const& source, Shuffle::Order const& order) {
    Nest<1> nest;
    auto const strides = denseStrides(source);
    for (int32_t i = 0; i < source.nbDims; ++i) {
        auto const axis = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
        nest.add(source.d[axis], {strides[axis]});
    }
    return nest;
}

/// False if the transpose moves only axes of extent 1: the loops then merge into one of stride 1.
bool moves(Nest<1> const& nest) {
    return nest.rows() > 1 || (nest.inner() > 1 && nest.innerStride(0) != 1);
}

struct Transposes {
    Nest<1> first;
    Nest<1> second;
};

Transposes transposesOf(Shuffle const& op, Workload const& workload) {
    // The source dimensions of the second transpose: the output's dimensions, transposed back.
    Dims reshaped = workload.outputs[0];
    for (int32_t i = 0; i < reshaped.nbDims; ++i) {
        reshaped.d[op.secondTranspose[static_cast<std::size_t>(i)]] = workload.outputs[0].d[i];
    }
    return {transposeNest(workload.inputs[0], op.firstTranspose),
            transposeNest(reshaped, op.secondTranspose)};
}

struct ShuffleReference {
    using Op = Shuffle;
    struct State {
        Transposes nests;
        BytesToCopy bytes;
        int64_t elementBytes = 1;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.nests = transposesOf(op, workload);
        state.bytes.count = bytesFor(workload.type(), state.nests.first.count());
        bool const first = moves(state.nests.first);
        bool const second = moves(state.nests.second);
        if (!first && !second) {
            return launchOf<&copyAll>;
        }
        state.elementBytes = elementBytes(workload.type());
        return first && second ? launchOf<&both>
               : first         ? launchOf<&one<true>>
                               : launchOf<&one<false>>;
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        Transposes const nests = transposesOf(op, workload);
        return moves(nests.first) && moves(nests.second)
                   ? bytesFor(workload.type(), nests.first.count())
                   : 0;
    }

    static void copyAll(State const& state, KernelCall const& call) {
        copyBytes(state.bytes, call);
    }
    template <bool kFirst>
    static void one(State const& state, KernelCall const& call) {
        copyStrided(kFirst ? state.nests.first : state.nests.second, state.elementBytes,
                    call.inputs[0], call.outputs[0]);
    }
    static void both(State const& state, KernelCall const& call) {
        copyStrided(state.nests.first, state.elementBytes, call.inputs[0], call.workspace);
        copyStrided(state.nests.second, state.elementBytes, call.workspace, call.outputs[0]);
    }
};

} // namespace

void registerKernel_shuffle(KernelRegistry& registry) {
    registry.add(entryOf<ShuffleReference>("shuffle_reference"));
}

} // namespace kiln::targets::cpu
