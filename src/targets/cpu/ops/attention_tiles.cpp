// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention_tiles: attention whose scores never leave the cache, computed in float32 for float32,
// float16 and bfloat16. Threads share the tiles of queries of all heads. The method is that of
// Dao et al., "FlashAttention", 2022.
#include "targets/cpu/attention/dense.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

using target::AttentionWorkload;

struct AttentionTiles {
    using Op = graph::Attention;
    struct State : AttentionWorkload {
        DenseHeads dense;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        int64_t const largest = std::max(op.size, op.valueSize);
        return largest <= kLargestHead
                   ? refuseUnlessFloat(node)
                   : fmt::format("expected heads of at most {} channels, got {}", kLargestHead,
                                 largest);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        return target::attentionOperations(op, node) / 1e11 + 1e-6; // measured, with AVX-512
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        if (std::max(op.size, op.valueSize) > kLargestHead) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'attention_tiles': expected heads of at most {} channels, got {} "
                 "and {}. Build the plan again.",
                 kLargestHead, op.size, op.valueSize);
        }
        state = stateOf(op, workload);
        bool const few = state.queries <= kFewQueries;
        return dispatchFloat(workload.type(), "attention",
                             [&](auto value) -> target::KernelFunction {
                                 using T = decltype(value);
                                 return few ? launchOf<&runFew<T>> : launchOf<&run<T>>;
                             });
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        return stateOf(op, workload).dense.bytes();
    }

private:
    static State stateOf(Op const& op, Workload const& workload) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        return {at, DenseHeads(at, workload.type())};
    }

    /// Keys and values are read for any number of queries.
    static int64_t stepsOf(State const& at, int64_t queries) {
        return std::max<int64_t>(queries / 16, 1) * at.keys * (at.size + at.valueSize);
    }

    template <typename T>
    static void run(State const& at, KernelCall const& call) {
        if (at.dense.used()) {
            at.dense.fill<T>(at, call);
        }
        auto const* const workspace = static_cast<float const*>(call.workspace);
        int64_t const tiles = tilesOf(at.queries, kTileColumns);
        parallelFor(at.batch * at.heads * tiles, grainFor(stepsOf(at, kTileColumns)),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t task = begin; task < end; ++task) {
                            int64_t const batch = task / tiles / at.heads;
                            int64_t const head = task / tiles % at.heads;
                            int64_t const first = task % tiles * kTileColumns;
                            attendTile<T>(at, call,
                                          at.dense.head(workspace, batch, head / at.group), batch,
                                          head, first, std::min(kTileColumns, at.queries - first));
                        }
                    });
    }

    template <typename T>
    static void runFew(State const& at, KernelCall const& call) {
        parallelFor(at.queries == 0 ? 0 : at.batch * at.heads, grainFor(stepsOf(at, at.queries)),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t head = begin; head < end; ++head) {
                            attendFew<T>(at, call, head / at.heads, head % at.heads);
                        }
                    });
    }
};

} // namespace

void registerKernel_attention_tiles(KernelRegistry& registry) {
    registry.add(entryOf<AttentionTiles>("attention_tiles"));
}

} // namespace kiln::targets::cpu
