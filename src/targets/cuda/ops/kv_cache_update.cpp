// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KVCacheUpdate: rows of the update go to the cache; see kernels/kv_cache_update.cuh.
#include "graph/ops/kv_cache_update.h"

#include <algorithm>

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

struct CacheKernel {
    using Op = graph::KVCacheUpdate;
    struct Arguments {
        int64_t bytes = 0; ///< of the cache
        FastDivide heads;
        FastDivide capacity;
        FastDivide length; ///< rows of each head of the update; packed: tokens
        FastDivide bytesOfRow;
        FastDivide wordsOfRow;
        int64_t rows = 0; ///< of the update
        int64_t batch = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        bool const hasLengths = node.has(Op::kLengths);
        return sourceOf(
            "kv_cache_update",
            {{"KILN_START", kernelTypeName(node.inputs[Op::kStarts].type.type)},
             {"KILN_LENGTH",
              hasLengths ? kernelTypeName(node.inputs[Op::kLengths].type.type) : "int32_t"},
             {"KILN_HAS_LENGTHS", hasLengths ? "1" : "0"},
             {"KILN_PACKED", op.isPacked() ? "1" : "0"},
             {"KILN_WIDE", needsWide(node) ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& cache = workload.inputs[Op::kCache];
        Dims const& update = workload.inputs[Op::kUpdate];
        auto const elementBytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        int64_t const rowBytes = cache.d[3] * elementBytes;
        int64_t const length = update.d[op.isPacked() ? 0 : 2];
        arguments.batch = cache.d[0];
        arguments.heads = fastDivide(cache.d[1]);
        arguments.capacity = fastDivide(cache.d[2]);
        arguments.length = fastDivide(length);
        arguments.bytesOfRow = fastDivide(rowBytes);
        arguments.wordsOfRow = fastDivide(rowBytes / 16);
        arguments.bytes = volume(cache, "cache") * elementBytes;
        arguments.rows = length * cache.d[1] * (op.isPacked() ? 1 : cache.d[0]);
        if (arguments.bytes == 0) {
            return {};
        }
        int64_t const updated = arguments.rows * rowBytes;
        // Words of 16 bytes are counted in 32 bits; there are fewer of them than elements.
        bool const narrow = fitsNarrow(arguments.bytes / 16) && fitsNarrow(updated / 16);
        return {launchOver(narrow ? "update_cache" : "update_cache_wide",
                           blocksFor(rowBytes, updated, arguments.bytes) * kBlock, kBlock)};
    }

private:
    static constexpr int32_t kBlock = 256;

    /// In place, which is usual, a thread has up to kHeld units of the update. Copies of the cache
    /// need no more blocks than fill the GPU; in place, those without rows return at once.
    static int64_t blocksFor(int64_t rowBytes, int64_t updated, int64_t bytes) {
        constexpr int64_t kHeld = 4; // as in kernels/kv_cache_update.cuh
        constexpr int64_t kMostCopyBlocks = 1056;
        int64_t const unit = rowBytes % 16 == 0 ? 16 : 1;
        int64_t const perBlock = kBlock * kHeld * unit;
        int64_t const copy = (bytes - 1) / perBlock + 1;
        return std::max((updated + perBlock - 1) / perBlock, std::min(copy, kMostCopyBlocks));
    }
};

} // namespace

void registerKernel_kv_cache_update(KernelRegistry& registry) {
    registry.add(entryOf<CacheKernel>("kv_cache_update"));
}

} // namespace kiln::targets::cuda
