// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// shuffle: transpose, reshape, transpose. A reshape moves nothing, so the work is one launch for
// each transpose that moves data; with two, the first goes to the workspace. Any type of whole
// bytes.
#include "graph/ops/shuffle.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/permutation.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Shuffle;

/// Dimensions before the second transpose: those of the output, transposed back.
Dims reshapedDims(Shuffle const& op, Workload const& workload) {
    Dims reshaped = workload.outputs[0];
    for (int32_t i = 0; i < reshaped.nbDims; ++i) {
        reshaped.d[op.secondTranspose[static_cast<std::size_t>(i)]] = workload.outputs[0].d[i];
    }
    return reshaped;
}

/// The transposes that move data, in order; none for a reshape.
std::vector<Permutation> movesOf(Shuffle const& op, Workload const& workload) {
    std::vector<Permutation> moves{
        transposition(workload.inputs[0], op.firstTranspose.data()),
        transposition(reshapedDims(op, workload), op.secondTranspose.data())};
    std::erase_if(moves, [](Permutation const& move) { return move.copies(); });
    return moves;
}

/// The number of transposes of the op that could move data at some shape.
int32_t mostSteps(Shuffle const& op) {
    return op.firstTranspose != Shuffle::kIdentity && op.secondTranspose != Shuffle::kIdentity ? 2
                                                                                               : 1;
}

struct ShuffleMove {
    using Op = Shuffle;
    static constexpr bool kInputArray = true;
    struct Step {
        int64_t count = 0;
        int32_t outer = 0;
        MovedAxis axes[Dims::MAX_DIMS];
        Tiles tiles;
        int64_t blocks = 0;
    };
    struct Arguments {
        int32_t steps = 0;
        Step step[2];
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        return sourceOf("shuffle", {{"WIDE", needsWide(node) ? "1" : "0"},
                                    {"T", moverTypeName(type)},
                                    {"INPUTS", std::to_string(node.inputs.size())},
                                    {"STEPS", std::to_string(mostSteps(op))},
                                    {"PAIRS", bitsOf(type) == 16 ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        std::vector<Permutation> moves = movesOf(op, workload);
        if (moves.empty()) {
            moves.emplace_back().add(volume(workload.inputs[0], "shuffle"), 1, 1);
        }
        arguments.steps = static_cast<int32_t>(moves.size());
        auto const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        std::vector<GridLaunch> launches;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            launches.push_back(prepareStep(moves[i], bytes, arguments.step[i], i));
        }
        return launches;
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        return movesOf(op, workload).size() == 2
                   ? bytesFor(workload.type(), volume(workload.inputs[0], "shuffle"))
                   : 0;
    }

private:
    struct Names {
        char const* tiles;
        char const* pairs;
        char const* blocks;
        char const* words[2]; ///< narrow, wide
        char const* elements[2];
    };
    static constexpr Names kNames[2] = {{"tiles_0",
                                         "pairs_0",
                                         "blocks_0",
                                         {"words_0", "words_wide_0"},
                                         {"elements_0", "elements_wide_0"}},
                                        {"tiles_1",
                                         "pairs_1",
                                         "blocks_1",
                                         {"words_1", "words_wide_1"},
                                         {"elements_1", "elements_wide_1"}}};

    static GridLaunch prepareStep(Permutation const& move, int64_t bytes, Step& step,
                                  std::size_t which) {
        Names const& names = kNames[which];
        step.count = move.count();
        if (step.count == 0) {
            return {names.tiles, 0};
        }
        if (std::optional<TilePlan> const plan = blocksOf(move, bytes); plan.has_value()) {
            constexpr int32_t kThreads = 128; // as in kernels/transposed_blocks.cuh
            step.tiles = plan->tiles;
            step.blocks = plan->blocks;
            return launchBlocks(names.blocks, plan->blocks, kThreads / 32, kThreads);
        }
        if (std::optional<TilePlan> const plan = tilesOf(move, bytes); plan.has_value()) {
            step.tiles = plan->tiles;
            return {plan->pairs ? names.pairs : names.tiles, plan->blocks};
        }
        std::copy(move.axes.begin(), move.axes.end(), step.axes);
        step.outer = static_cast<int32_t>(move.axes.size()) - 1;
        std::size_t const wide = fitsNarrow(step.count) ? 0 : 1;
        constexpr int64_t kLeastRowBytes = 32; // shorter rows are rarely within one word
        bool const rows =
            move.keepsRows() && move.axes.back().extent.divisor * bytes >= kLeastRowBytes;
        return rows ? launchWords(names.words[wide], step.count, bytes)
                    : launchElements(names.elements[wide], step.count);
    }
};

} // namespace

void registerKernel_shuffle(KernelRegistry& registry) {
    registry.add(entryOf<ShuffleMove>("shuffle_tiles"));
}

} // namespace kiln::targets::cuda
