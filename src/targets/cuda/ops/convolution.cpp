// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution of 1 to 3 spatial axes: by cuDNN (see cudnn/), as a product by
// cuBLASLt (see blaslt/), or by kernels/convolution.cuh.
#include "graph/ops/convolution.h"

#include "target/workload/convolution.h"
#include "targets/cuda/blaslt/product_kernel.h"
#include "targets/cuda/cudnn/convolution_kernel.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct ConvolutionAxis {
    int64_t input;
    int64_t output;
    int64_t size;
    int64_t stride;
    int64_t dilation;
    int64_t before;
};

struct ConvolutionArguments {
    int64_t results;
    int64_t channels;
    int64_t maps;
    int64_t groups;
    ConvolutionAxis depth;
    ConvolutionAxis height;
    ConvolutionAxis width;
};

ConvolutionAxis axisOf(target::ConvolutionWorkload::Axis const& axis) {
    return {axis.input, axis.output, axis.size, axis.stride, axis.dilation, axis.before};
}

struct ConvolutionReference {
    using Op = graph::Convolution;
    using Arguments = ConvolutionArguments;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        constexpr double kLaunch = 3e-6;
        return kLaunch + target::convolutionOperations(op, node) / 1e12;
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("convolution",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                         {"KILN_BIAS", fmt::format("{}", Op::places(node.inputs.size()).bias)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        target::ConvolutionWorkload const p = target::convolutionWorkload(op, workload);
        arguments = {volume(workload.outputs[0], "convolved tensor"),
                     p.channels,
                     p.maps,
                     p.groups,
                     axisOf(p.depth),
                     axisOf(p.height),
                     axisOf(p.width)};
        return {launchOver("convolution", arguments.results)};
    }
};

} // namespace

void registerKernel_convolution(KernelRegistry& registry) {
    registry.add(convolutionCublasLt());
    registry.add(convolutionCublasLtTf32());
    registry.add(convolutionCudnn());
    registry.add(convolutionCudnnTf32());
    registry.add(convolutionCudnnBare());
    registry.add(entryOf<ConvolutionReference>("convolution_reference"));
}

} // namespace kiln::targets::cuda
