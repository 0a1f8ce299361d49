// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention: softmax(scale * Q K^T + mask) V in one launch; see kernels/attention.cuh,
// kernels/attention_warpgroups.cuh and kernels/attention_short.cuh.
#include "targets/cuda/attention_in_tiles.h"
#include "targets/cuda/gpu.h"

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

/// What the kernels share that multiply by warpgroups, on GPUs of compute capability 9.0.
struct AttentionByWarpgroups : AttentionInTiles {
protected:
    static constexpr int64_t kThreadsOfGroup = 128;
    static constexpr int64_t kQueriesOfGroup = 64;

    // As in kernels/attention_panels.cuh.
    static int64_t padded(int64_t channels) {
        return channels > 128 ? 256 : channels > 64 ? 128 : 64;
    }
    static int64_t keysOfTile(int64_t size, int64_t valueSize) {
        return padded(size) + padded(valueSize) > 256 ? 64 : 128;
    }

    /// Bytes of tiles of keys and values, and of the queries of `groups` warpgroups.
    static int32_t sharedBytes(AttentionWorkload const& at, int64_t stages, int64_t groups) {
        int64_t const keys =
            stages * keysOfTile(at.size, at.valueSize) * (padded(at.size) + padded(at.valueSize));
        return static_cast<int32_t>(2 * (keys + groups * kQueriesOfGroup * padded(at.size)));
    }
};

/// For many queries and keys.
struct AttentionWarpgroups : AttentionByWarpgroups {
    static std::string refuse(Op const& op, NodeSpec const& node) {
        return refuseAbove(kMostChannels, op, node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        bool const many = at.queries >= kQueriesOfGroup && at.keys >= kEnoughKeys;
        // Far slower than AttentionTiles for few: it is not worth the time to compile it.
        return many ? seconds(op, node, 5e14) : 4.0 * seconds(op, node, 2e14);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceIn("attention_warpgroups", op, node);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        int64_t const places = gpuProblem().empty() ? Gpu::current().multiprocessors : 0;
        int64_t const groups = groupsFor(at, places);
        int64_t const items = describe(at, kQueriesOfGroup * groups, {8, 8, 8, 2}, arguments);
        // Items of different length are best given out one by one.
        bool const several = places > 0 && !at.isCausal;
        return {{"attention", several ? std::min(items, places) : items, 1, 1,
                 static_cast<int32_t>(kThreadsOfGroup * (groups + 1)),
                 sharedBytes(at, kStages, groups)}};
    }

private:
    static constexpr int64_t kStages = 2; // as in kernels/attention_warpgroups.cuh
    static constexpr int64_t kEnoughKeys = 128;

    /// Warpgroups that compute: one if the items of more would leave half of the multiprocessors
    /// without work.
    static int64_t groupsFor(AttentionWorkload const& at, int64_t places) {
        constexpr int64_t kMostGroups = 2;
        int64_t const tiles = (at.queries - 1) / (kQueriesOfGroup * kMostGroups) + 1;
        bool const fewItems = at.batch * at.heads <= places / 2 / tiles;
        return at.queries <= kQueriesOfGroup || fewItems ? 1 : kMostGroups;
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

/// The code is for sm_90a: it uses instructions that later GPUs do not have.
template <typename Impl>
KernelEntry entryForHopper(std::string_view name) {
    KernelEntry entry = entryOf<Impl>(name);
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return compileForHopper(Impl::source(static_cast<Attention const&>(node.op), node),
                                architectures);
    };
    return entry;
}

} // namespace

void registerKernel_attention(KernelRegistry& registry) {
    registry.add(entryForHopper<AttentionWarpgroups>("attention_warpgroups"));
    registry.add(entryForHopper<AttentionShort>("attention_short"));
    registry.add(entryOf<AttentionTiles>("attention_tiles"));
}

} // namespace kiln::targets::cuda
