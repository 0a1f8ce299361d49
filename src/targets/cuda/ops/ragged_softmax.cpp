// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ragged_softmax: softmax over the first elements of each row; see kernels/ragged_softmax.cuh.
#include "graph/ops/ragged_softmax.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct RaggedSoftMaxKernel {
    using Op = graph::RaggedSoftMax;
    struct Arguments {
        int64_t rows = 0;
        int64_t length = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("ragged_softmax",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                         {"KILN_BOUNDS", kernelTypeName(node.inputs[Op::kBounds].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        arguments.length = dims.d[dims.nbDims - 1];
        arguments.rows = volume(workload.inputs[Op::kBounds], "bounds");
        constexpr int32_t kBlock = 256;
        constexpr int64_t kLongestOfWarp = 1024;
        if (arguments.length <= kLongestOfWarp) {
            return {launchBlocks("ragged_warps", arguments.rows, kBlock / 32, kBlock)};
        }
        return {launchBlocks("ragged_blocks", arguments.rows, 1, kBlock)};
    }
};

} // namespace

void registerKernel_ragged_softmax(KernelRegistry& registry) {
    registry.add(entryOf<RaggedSoftMaxKernel>("ragged_softmax_reference"));
}

} // namespace kiln::targets::cuda
