// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// interleave: the phases of a transposed convolution side by side; see kernels/interleave.cuh.
#include "target/workload/interleave.h"

#include "target/workload/map_formats.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct InterleaveKernel {
    using Op = graph::Interleave;
    using Arguments = target::InterleaveWorkload;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        std::string const reason = refuseSubByte(node.inputs[0].type.type);
        return reason.empty() ? target::refuseMapFormats(node.inputs[0].type, node.outputs[0].type,
                                                         node.inputs[0].opt.nbDims)
                              : reason;
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("interleave", {{"KILN_ELEMENT", moverTypeName(node.inputs[0].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments = target::interleaveWorkload(op, workload);
        int64_t const count = volume(workload.outputs[0], "interleaved tensor");
        int64_t const vector = 128 / bitsOf(workload.type());
        bool const linear = workload.outputTypes[0].format == TensorFormat::kLINEAR;
        int64_t const length = linear ? arguments.width.output : arguments.maps;
        constexpr int64_t kEnoughThreads = 1 << 16; // fewer leave a large GPU idle
        if (length % vector == 0 && count / vector >= kEnoughThreads) {
            return {launchOver(linear ? "interleave" : "interleave_last", count / vector)};
        }
        return {launchOver(linear ? "interleave_single" : "interleave_last_single", count)};
    }
};

} // namespace

void registerKernel_interleave(KernelRegistry& registry) {
    registry.add(entryOf<InterleaveKernel>("interleave_reference"));
}

} // namespace kiln::targets::cuda
