// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// select: input 1 where the condition (a nonzero byte) holds, else input 2, with broadcasting. Any
// type of whole bytes.
#include "graph/ops/select.h"

#include "targets/cuda/broadcast.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct SelectBroadcast {
    using Op = graph::Select;
    static constexpr bool kDenseOrder = true;
    using Arguments = BroadcastArguments<3>;

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[1].type.type);
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("select", {{"KILN_ELEMENT", moverTypeName(node.inputs[1].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& result = workload.outputs[0];
        auto const nest = target::broadcastNest<3>(
            result, {workload.inputs[0], workload.inputs[1], workload.inputs[2]}, result.nbDims);
        std::size_t const bytes = bytesFor(workload.inputTypes[1].type, 1);
        return {launchBroadcast(nest, widthFor(bytes), arguments)};
    }
};

} // namespace

void registerKernel_select(KernelRegistry& registry) {
    registry.add(entryOf<SelectBroadcast>("select_broadcast"));
}

} // namespace kiln::targets::cuda
