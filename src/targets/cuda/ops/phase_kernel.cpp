// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// phase_kernel: the kernel of a transposed convolution in another order; see
// kernels/phase_kernel.cuh.
#include "graph/ops/phase_kernel.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct PhaseKernelMove {
    using Op = graph::PhaseKernel;
    struct Arguments {
        int64_t count = 0;
        int64_t phases = 1;
        int64_t maps = 0;
        int64_t channels = 0;
        int64_t size[3] = {1, 1, 1};
        int64_t taps[3] = {1, 1, 1};
        int64_t stride[3] = {1, 1, 1};
        int64_t dilation[3] = {1, 1, 1};
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("phase_kernel",
                        {{"KILN_ELEMENT", moverTypeName(node.inputs[0].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& kernel = workload.inputs[0];
        Dims const& output = workload.outputs[0];
        arguments.count = volume(output, "phase kernel");
        arguments.phases = op.phases();
        arguments.maps = kernel.d[1];
        arguments.channels = output.d[1];
        int32_t const axes = op.stride.nbDims;
        for (int32_t axis = 0; axis < axes; ++axis) {
            int32_t const place = 3 - axes + axis;
            arguments.size[place] = kernel.d[2 + axis];
            arguments.taps[place] = output.d[2 + axis];
            arguments.stride[place] = op.stride.d[axis];
            arguments.dilation[place] = op.dilation.d[axis];
        }
        return {launchOver("phase_kernel", arguments.count)};
    }
};

} // namespace

void registerKernel_phase_kernel(KernelRegistry& registry) {
    registry.add(entryOf<PhaseKernelMove>("phase_kernel_reference"));
}

} // namespace kiln::targets::cuda
