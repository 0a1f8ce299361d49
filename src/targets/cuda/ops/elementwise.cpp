// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// elementwise: combines two tensors with broadcasting. Numbers: float32, float16 and
// bfloat16 (computed in float32), int8, int32, int64; booleans: and, or, xor, equal. Integer
// arithmetic wraps around; integer division by 0 gives 0.
#include "graph/ops/elementwise.h"

#include "targets/cuda/broadcast.h"
#include "targets/cuda/chain/function_names.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct ElementWiseBroadcast {
    using Op = graph::ElementWise;
    static constexpr bool kDenseOrder = true;
    using Arguments = BroadcastArguments<2>;

    static std::string refuse(Op const&, NodeSpec const& node) {
        switch (node.inputs[0].type.type) {
        case DataType::kINT8:
        case DataType::kINT32:
        case DataType::kINT64:
        case DataType::kBOOL: return {};
        default: return refuseUnlessFloat(node);
        }
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("elementwise", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                        {"KILN_RESULT", kernelTypeName(node.outputs[0].type.type)},
                                        {"KILN_FUNCTION", functionName(op.operation)}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& result = workload.outputs[0];
        auto const nest = target::broadcastNest<2>(result, {workload.inputs[0], workload.inputs[1]},
                                                   result.nbDims);
        return {launchBroadcast(nest, widthFor(bytesFor(workload.type(), 1)), arguments)};
    }
};

} // namespace

void registerKernel_elementwise(KernelRegistry& registry) {
    registry.add(entryOf<ElementWiseBroadcast>("elementwise_broadcast"));
}

} // namespace kiln::targets::cuda
