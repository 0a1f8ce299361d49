// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KVCacheUpdate: rows of the update go to the cache; see kernels/kv_cache_update.cuh.
#include "graph/ops/kv_cache_update.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

constexpr int64_t kMostCopyBlocks = 1024; ///< which return at once if the cache is in place

struct CacheKernel {
    using Op = graph::KVCacheUpdate;
    struct Arguments {
        int64_t bytes = 0; ///< of the cache
        int64_t heads = 0;
        int64_t capacity = 0;
        int64_t rowBytes = 0;
        int64_t length = 0; ///< rows of each head of the update; packed: tokens
        int64_t rows = 0;   ///< of the update
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
             {"KILN_PACKED", op.isPacked() ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& cache = workload.inputs[Op::kCache];
        Dims const& update = workload.inputs[Op::kUpdate];
        arguments.batch = cache.d[0];
        arguments.heads = cache.d[1];
        arguments.capacity = cache.d[2];
        arguments.rowBytes = cache.d[3] * static_cast<int64_t>(bytesFor(workload.type(), 1));
        arguments.bytes = cache.d[0] * cache.d[1] * cache.d[2] * arguments.rowBytes;
        arguments.length = update.d[op.isPacked() ? 0 : 2];
        arguments.rows = arguments.length * cache.d[1] * (op.isPacked() ? 1 : cache.d[0]);
        if (arguments.bytes == 0) {
            return {};
        }
        GridLaunch copy = launchOver("copy_cache", arguments.bytes / 16 + 1);
        copy.gridX = std::min(copy.gridX, kMostCopyBlocks);
        bool const wide = arguments.rowBytes % 16 == 0;
        int64_t const units = wide ? arguments.rowBytes / 16 : arguments.rowBytes;
        return {copy, launchOver("update_cache", arguments.rows * units)};
    }
};

} // namespace

void registerKernel_kv_cache_update(KernelRegistry& registry) {
    registry.add(entryOf<CacheKernel>("kv_cache_update"));
}

} // namespace kiln::targets::cuda
