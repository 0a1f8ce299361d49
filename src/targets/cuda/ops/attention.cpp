// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention: softmax(scale * Q K^T + mask) V in one launch; see kernels/attention.cuh and
// kernels/attention_short.cuh.
#include "targets/cuda/attention_by_warpgroups.h"

namespace kiln::targets::cuda {
namespace {

constexpr int64_t kFewChannels = 128; ///< of a head
constexpr int64_t kMostChannels = 256;

struct AttentionTiles : AttentionInTiles {
    static std::string refuse(Op const& op, NodeSpec const& node) {
        return refuseAbove(kMostChannels, op, node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        bool const narrow = op.size <= kFewChannels && op.valueSize <= kFewChannels;
        // A block passes over all keys, however few blocks there are.
        AttentionWorkload const at = target::attentionWorkload(op, node);
        double const pass = kLaunch + kSecondsOfKey * static_cast<double>(at.keys);
        return std::max(pass, seconds(op, node, narrow ? 2e14 : 1e14));
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceIn("attention", op, node);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        int64_t const warps = warpsFor(at.queries);
        int64_t const blocks = describe(at, kQueriesOfWarp * warps, {2, 8, 8, 2}, arguments);
        return {{"attention", blocks, 1, 1, static_cast<int32_t>(32 * warps)}};
    }

private:
    static constexpr int64_t kQueriesOfWarp = 16;
    static constexpr double kSecondsOfKey = 2e-8;

    /// The warps of a block share its keys, so 4 are best even if some multiprocessors get no
    /// block.
    static int64_t warpsFor(int64_t queries) {
        int64_t warps = 4;
        while (warps > 1 && queries <= kQueriesOfWarp * warps / 2) {
            warps /= 2;
        }
        return warps;
    }
};

/// For few keys, or few items: blocks of one warpgroup.
struct AttentionShort : AttentionByWarpgroups {
    static std::string refuse(Op const& op, NodeSpec const& node) {
        return refuseAbove(kFewChannels, op, node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        // A tile is worth its work if half of it is filled.
        bool const fills = 2 * at.queries >= kQueriesOfGroup && 2 * at.keys >= kKeysOfTile;
        bool const few = at.keys <= kMostKeys;
        return fills && few ? seconds(op, node, 4e14) : 4.0 * seconds(op, node, 2e14);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceIn("attention_short", op, node);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        int64_t const blocks = describe(at, kQueriesOfGroup, {8, 8, 8, 8}, arguments);
        GridLaunch launch{"attention", blocks, 1, 1, kThreadsOfGroup};
        launch.sharedBytes = sharedBytes(at, 1, 1);
        launch.overlaps = true;
        return {launch};
    }

private:
    static constexpr int64_t kKeysOfTile = 128;
    static constexpr int64_t kMostKeys = 4 * kKeysOfTile; // beyond, AttentionWarpgroups is better
};

} // namespace

void registerKernel_attention(KernelRegistry& registry) {
    KernelEntry few = entryOf<AttentionShort>("attention_short");
    few.compile = &compileHopperSource<AttentionShort>;
    registry.add(few);
    registry.add(entryOf<AttentionTiles>("attention_tiles"));
}

} // namespace kiln::targets::cuda
