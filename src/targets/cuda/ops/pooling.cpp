// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling over windows of the spatial axes; see kernels/pooling.cuh.
#include "graph/ops/pooling.h"

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::PoolingType;

struct PoolAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t size = 1;
    int64_t stride = 1;
    int64_t before = 0;
    int64_t after = 0;
};

struct PoolingArguments {
    int64_t results;
    PoolAxis depth;
    PoolAxis height;
    PoolAxis width;
    float ofLargest;
    float ofMean;
    int32_t countsPadding;
};

struct PoolingKernel {
    using Op = graph::Pooling;
    using Arguments = PoolingArguments;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("pooling", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& input = workload.inputs[0];
        Dims const& output = workload.outputs[0];
        auto const axisOf = [&](int32_t i) {
            auto const padding = op.window.padding(i, input.d[2 + i], output.d[2 + i]);
            return PoolAxis{input.d[2 + i],        output.d[2 + i], op.window.size.d[i],
                            op.window.stride.d[i], padding.before,  padding.after};
        };
        arguments.results = volume(output, "pooled tensor");
        int32_t const axes = op.window.size.nbDims;
        arguments.depth = axes > 2 ? axisOf(axes - 3) : PoolAxis{};
        arguments.height = axes > 1 ? axisOf(axes - 2) : PoolAxis{};
        arguments.width = axisOf(axes - 1);
        arguments.ofMean = op.type == PoolingType::kMAX       ? 0.0F
                           : op.type == PoolingType::kAVERAGE ? 1.0F
                                                              : op.blendFactor;
        arguments.ofLargest = 1.0F - arguments.ofMean;
        arguments.countsPadding = op.averageCountExcludesPadding ? 0 : 1;
        return {launchOver("pooling", arguments.results)};
    }
};

} // namespace

void registerKernel_pooling(KernelRegistry& registry) {
    registry.add(entryOf<PoolingKernel>("pooling_reference"));
}

} // namespace kiln::targets::cuda
