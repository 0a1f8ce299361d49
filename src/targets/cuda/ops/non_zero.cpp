// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// nonzero: indices of the nonzero elements, and their number; see kernels/non_zero.cuh.
#include "graph/ops/non_zero.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

constexpr int32_t kThreads = 256;
constexpr int32_t kPlaceThreads = 1024;
constexpr int64_t kChunk = kThreads * 32; ///< elements per block

struct NonZeroKernel {
    using Op = graph::NonZero;
    struct Arguments {
        uint64_t bits = 0;
        int64_t count = 0;
        int64_t chunks = 0;
        int32_t rank = 0;
        int32_t unused = 0;
        int64_t extents[Dims::MAX_DIMS] = {};
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("non_zero", {{"KILN_UNIT", moverTypeName(node.inputs[0].type.type)},
                                     {"KILN_INDEX", kernelTypeName(op.indexType)}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        int64_t const count = volume(workload.inputs[0], "nonzero");
        // The places of the chunks, and a bit for each element.
        return static_cast<std::size_t>(chunksOf(count)) * (sizeof(int64_t) + kChunk / 8);
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        arguments.bits = Op::significantBits(workload.type());
        arguments.count = volume(dims, "nonzero");
        arguments.chunks = chunksOf(arguments.count);
        arguments.rank = dims.nbDims;
        std::copy_n(dims.d, dims.nbDims, arguments.extents);
        return {{"count_chunks", arguments.chunks, 1, 1, kThreads},
                {"place_chunks", 1, 1, 1, kPlaceThreads},
                {"write_indices", arguments.chunks, 1, 1, kThreads}};
    }

private:
    static int64_t chunksOf(int64_t count) {
        return count / kChunk + (count % kChunk != 0 ? 1 : 0);
    }
};

} // namespace

void registerKernel_non_zero(KernelRegistry& registry) {
    registry.add(entryOf<NonZeroKernel>("non_zero"));
}

} // namespace kiln::targets::cuda
