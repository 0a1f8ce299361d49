// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention_tiles: attention whose scores never leave the cache, computed in float32 for float32,
// float16 and bfloat16. Threads share the tiles of queries of all heads. The method is that of
// Dao et al., "FlashAttention", 2022.
#include "targets/cpu/attention/tiles.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

using target::AttentionWorkload;

struct AttentionTiles {
    using Op = graph::Attention;
    using State = AttentionWorkload;

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
        state = target::attentionWorkload(op, workload);
        bool const few = state.queries <= kFewQueries;
        return dispatchFloat(workload.type(), "attention",
                             [&](auto value) -> target::KernelFunction {
                                 using T = decltype(value);
                                 return few ? launchOf<&runFew<T>> : launchOf<&run<T>>;
                             });
    }

private:
    /// Keys and values are read for any number of queries.
    static int64_t stepsOf(State const& at, int64_t queries) {
        return std::max<int64_t>(queries / 16, 1) * at.keys * (at.size + at.valueSize);
    }

    template <typename T>
    static void run(State const& at, KernelCall const& call) {
        int64_t const tiles = tilesOf(at.queries, kTileColumns);
        parallelFor(at.batch * at.heads * tiles, grainFor(stepsOf(at, kTileColumns)),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t task = begin; task < end; ++task) {
                            int64_t const head = task / tiles;
                            int64_t const first = task % tiles * kTileColumns;
                            attendTile<T>(at, call, head / at.heads, head % at.heads, first,
                                          std::min(kTileColumns, at.queries - first));
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
