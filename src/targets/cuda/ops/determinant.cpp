// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// determinant: of batches of square matrices; see kernels/determinant.cuh.
#include "graph/ops/determinant.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct DeterminantKernel {
    using Op = graph::Determinant;
    struct Arguments {
        int64_t matrices = 0;
        int64_t size = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("determinant",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)}});
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        return bytesFor(DataType::kINT64, volume(workload.inputs[0], "determinant"));
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        arguments = {volume(workload.outputs[0], "determinant"), dims.d[dims.nbDims - 1]};
        if (dims.d[dims.nbDims - 2] != arguments.size) {
            fail(ErrorKind::kInvalidArgument,
                 "[shape] Determinant: expected square matrices, got {}. Pass others.",
                 toText(dims));
        }
        constexpr int32_t kThreads = 128; // as in the source
        constexpr int64_t kInLanes[] = {4, 8, 16};
        constexpr char const* kNames[] = {"determinant_of_4", "determinant_of_8",
                                          "determinant_of_16"};
        for (std::size_t i = 0; i < std::size(kInLanes); ++i) {
            if (arguments.size <= kInLanes[i]) {
                return {
                    launchBlocks(kNames[i], arguments.matrices, kThreads / kInLanes[i], kThreads)};
            }
        }
        return {launchBlocks("determinant", arguments.matrices, 1, kThreads)};
    }
};

} // namespace

void registerKernel_determinant(KernelRegistry& registry) {
    registry.add(entryOf<DeterminantKernel>("determinant"));
}

} // namespace kiln::targets::cuda
