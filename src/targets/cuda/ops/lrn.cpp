// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// LRN over neighbouring channels; see kernels/lrn.cuh.
#include "graph/ops/lrn.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct LRNKernel {
    using Op = graph::LRN;
    struct Arguments {
        int64_t count = 0;
        int64_t channels = 0;
        int64_t inner = 0;
        int64_t before = 0;
        int64_t behind = 0;
        float factor = 0.0F;
        float beta = 0.0F;
        float k = 0.0F;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("lrn", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Op::Planes const planes = Op::planesOf(workload.inputs[0]);
        arguments.count = volume(workload.inputs[0], "LRN");
        arguments.channels = planes.channels;
        arguments.inner = planes.inner;
        arguments.before = op.before();
        arguments.behind = op.window - 1 - op.before();
        arguments.factor = op.alpha / static_cast<float>(op.window);
        arguments.beta = op.beta;
        arguments.k = op.k;
        int64_t const width = 16 / static_cast<int64_t>(bytesFor(workload.type(), 1));
        bool const packs = arguments.inner % width == 0;
        return {launchOver(packs ? "lrn" : "lrn_single", arguments.count / (packs ? width : 1))};
    }
};

} // namespace

void registerKernel_lrn(KernelRegistry& registry) {
    registry.add(entryOf<LRNKernel>("lrn_reference"));
}

} // namespace kiln::targets::cuda
