// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// grid_sample: images at the coordinates of a grid; see kernels/grid_sample.cuh.
#include "target/workload/grid_sample.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct GridSampleKernel {
    using Op = graph::GridSample;
    using Arguments = target::GridSampleWorkload;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        return target::refuseGridSample(node);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("grid_sample",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                         {"KILN_GRID", kernelTypeName(node.inputs[1].type.type)},
                         {"KILN_TAPS", std::to_string(op.taps())},
                         {"KILN_MODE", std::to_string(static_cast<int32_t>(op.mode))},
                         {"KILN_ALIGNED", op.alignCorners ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        arguments = target::gridSampleWorkload(workload);
        int64_t const positions = arguments.batch * arguments.output[0] * arguments.output[1];
        if (!arguments.channelsLast()) {
            constexpr int64_t kChannels = 8; // as in the source
            return {launchOver("grid_sample_planes",
                               positions * ((arguments.channels + kChannels - 1) / kChannels))};
        }
        int64_t const vector = 128 / bitsOf(workload.type());
        bool const wide = arguments.channels % vector == 0;
        return {launchOver(wide ? "grid_sample_vectors" : "grid_sample_single",
                           positions * (wide ? arguments.channels / vector : arguments.channels))};
    }
};

} // namespace

void registerKernel_grid_sample(KernelRegistry& registry) {
    registry.add(entryOf<GridSampleKernel>("grid_sample_reference"));
}

} // namespace kiln::targets::cuda
