// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KVCacheUpdate: rows of the update go to the cache [batch, heads, capacity, size], from a position
// of each sequence on; what would lie outside is left out. The rest of the cache is copied, unless
// the output is in its memory. Any type of whole bytes. Threads share the heads.
#include "graph/ops/kv_cache_update.h"

#include <algorithm>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct CacheRows {
    using Op = graph::KVCacheUpdate;
    struct State {
        int64_t batch = 0;
        int64_t heads = 0;
        int64_t capacity = 0;
        int64_t rowBytes = 0;
        int64_t length = 0; ///< of the update; packed: tokens
        DataType startType = DataType::kINT32;
        DataType lengthType = DataType::kINT32;
        bool hasLengths = false;
        bool packed = false;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& cache = workload.inputs[Op::kCache];
        state.batch = cache.d[0];
        state.heads = cache.d[1];
        state.capacity = cache.d[2];
        state.rowBytes = cache.d[3] * elementBytes(workload.type());
        state.packed = op.isPacked();
        state.length = workload.inputs[Op::kUpdate].d[state.packed ? 0 : 2];
        state.startType = workload.inputTypes[Op::kStarts].type;
        state.hasLengths = workload.has(Op::kLengths);
        if (state.hasLengths) {
            state.lengthType = workload.inputTypes[Op::kLengths].type;
        }
        return launchOf<&run>;
    }

private:
    /// Rows of the update for one sequence: `count` of them from `first` on.
    struct Rows {
        int64_t first = 0;
        int64_t count = 0;
        int64_t to = 0; ///< place of the first one in the cache
    };

    static void run(State const& state, KernelCall const& call) {
        auto const total = state.batch * state.heads * state.capacity * state.rowBytes;
        copyBytes({static_cast<std::size_t>(total)}, call);
        int64_t const heads = state.batch * state.heads;
        int64_t const steps = state.length * (1 + state.rowBytes / 16);
        parallelFor(heads, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t head = begin; head < end; ++head) {
                writeHead(state, call, head / state.heads, head % state.heads);
            }
        });
    }

    static void writeHead(State const& state, KernelCall const& call, int64_t batch, int64_t head) {
        Rows const rows = rowsOf(state, call, batch);
        if (rows.count <= 0 || state.rowBytes == 0) {
            return;
        }
        auto const* const from = static_cast<std::byte const*>(call.inputs[Op::kUpdate]);
        auto* const to = static_cast<std::byte*>(call.outputs[0]) +
                         ((batch * state.heads + head) * state.capacity + rows.to) * state.rowBytes;
        auto const bytes = static_cast<std::size_t>(state.rowBytes);
        if (state.packed) {
            for (int64_t i = 0; i < rows.count; ++i) {
                int64_t const row = (rows.first + i) * state.heads + head;
                std::memcpy(to + i * state.rowBytes, from + row * state.rowBytes, bytes);
            }
        } else {
            int64_t const row = (batch * state.heads + head) * state.length + rows.first;
            std::memcpy(to, from + row * state.rowBytes,
                        bytes * static_cast<std::size_t>(rows.count));
        }
    }

    /// Without rows that are outside of the update or of the cache.
    static Rows rowsOf(State const& state, KernelCall const& call, int64_t batch) {
        auto const lengthAt = [&](int64_t i) {
            int64_t const length = integerAt(call.inputs[Op::kLengths], state.lengthType, i);
            return std::min(std::max<int64_t>(length, 0), state.length);
        };
        int64_t const begin = state.packed ? lengthAt(batch) : 0;
        int64_t const end = state.packed       ? lengthAt(batch + 1)
                            : state.hasLengths ? lengthAt(batch)
                                               : state.length;
        int64_t const start = integerAt(call.inputs[Op::kStarts], state.startType, batch);
        if (start >= state.capacity || start <= -state.length) {
            return {};
        }
        int64_t const skipped = start < 0 ? -start : 0;
        return {begin + skipped, std::min(end - begin - skipped, state.capacity - start - skipped),
                start + skipped};
    }
};

} // namespace

void registerKernel_kv_cache_update(KernelRegistry& registry) {
    registry.add(entryOf<CacheRows>("kv_cache_update_rows"));
}

} // namespace kiln::targets::cpu
