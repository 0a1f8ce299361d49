// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention of few queries and many keys; see kernels/attention_split.cuh.
#include "targets/cuda/attention_in_tiles.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

struct AttentionSplit : AttentionInTiles {
    /// Same layout as in kernels/attention_split.cuh.
    struct Arguments {
        AttentionInTiles::Arguments all;
        int32_t splits = 1;
        int32_t keysOfSplit = 0;
        int32_t rows = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        return refuseAbove(kMostChannels, op, node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        constexpr double kLaunches = 4e-6;
        // Each tile of rows reads the keys and values again.
        int64_t const keys = at.batch * keyHeads(at) * at.keys * (at.size + at.valueSize);
        double const again = 2.0 * static_cast<double>(keys * std::max<int64_t>(tiles(at) - 1, 0));
        return kLaunches + (target::bytesMoved(node) + again) / kBytesPerSecond;
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceIn("attention_split", op, node);
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        // Smaller shapes may be split into more parts.
        int64_t const parts =
            std::min(kMostBlocks, at.batch * keyHeads(at) * tiles(at) * mostSplits(at));
        int64_t const rows = std::min(at.group * at.queries, kRowsOfTile);
        return static_cast<std::size_t>(parts * rows * (at.valueSize + 2)) * sizeof(float);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        describe(at, 1, {8, 8, 8, 2}, arguments.all);
        int64_t const items = at.batch * keyHeads(at) * tiles(at);
        arguments.all.tiles = static_cast<int32_t>(tiles(at));
        arguments.all.items = static_cast<int32_t>(items);
        arguments.rows = static_cast<int32_t>(at.group * at.queries);
        int64_t const keys = std::max<int64_t>(at.keys, 1);
        // One wave of blocks, each of which fills a multiprocessor.
        int64_t const places = gpuProblem().empty() ? Gpu::current().multiprocessors : kUsualPlaces;
        int64_t const wanted = std::min(places, kMostBlocks) / items;
        int64_t const least = std::clamp<int64_t>(wanted, 1, mostSplits(at));
        int64_t const ofSplit = ((keys - 1) / least / kKeysOfBlock + 1) * kKeysOfBlock;
        int64_t const splits = (keys - 1) / ofSplit + 1;
        arguments.keysOfSplit = static_cast<int32_t>(ofSplit);
        arguments.splits = static_cast<int32_t>(splits);
        std::vector<GridLaunch> launches{{"attention", items * splits, 1, 1, kThreads}};
        if (splits > 1) {
            int64_t const rows = std::min(at.group * at.queries, kRowsOfTile);
            launches.push_back({"combine", items * rows, 1, 1, kThreadsOfRow});
        }
        for (GridLaunch& launch : launches) {
            launch.overlaps = true;
        }
        return launches;
    }

private:
    // As in kernels/attention_split.cuh.
    static constexpr int64_t kMostChannels = 128;
    static constexpr int64_t kRowsOfTile = 16;
    static constexpr int32_t kThreads = 256;
    static constexpr int32_t kThreadsOfRow = 128;
    static constexpr int64_t kKeysOfBlock = 128;
    static constexpr int64_t kMostSplits = 64;
    static constexpr int64_t kMostBlocks = 264; ///< if tiles are split
    static constexpr int64_t kUsualPlaces = 132;

    static int64_t keyHeads(AttentionWorkload const& at) { return at.heads / at.group; }

    static int64_t tiles(AttentionWorkload const& at) {
        return (at.group * at.queries + kRowsOfTile - 1) / kRowsOfTile;
    }

    static int64_t mostSplits(AttentionWorkload const& at) {
        return std::clamp<int64_t>((at.keys + kKeysOfBlock - 1) / kKeysOfBlock, 1, kMostSplits);
    }
};

} // namespace

void registerKernel_attention_split(KernelRegistry& registry) {
    registry.add(entryOf<AttentionSplit>("attention_split"));
}

} // namespace kiln::targets::cuda
