// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/convolution.h"

namespace kiln::target {

ConvolutionWorkload convolutionWorkload(graph::Convolution const& op, Workload const& workload) {
    Dims const& input = workload.inputs[0];
    Dims const& output = workload.outputs[0];
    graph::Window const& window = op.window;
    auto const axisOf = [&](int32_t i) {
        auto const padding = window.padding(i, input.d[2 + i], output.d[2 + i]);
        return ConvolutionWorkload::Axis{
            input.d[2 + i],       output.d[2 + i], window.size.d[i], window.stride.d[i],
            window.dilation.d[i], padding.before,  padding.after,
        };
    };
    auto const places = graph::Convolution::places(workload.inputs.size());
    ConvolutionWorkload result;
    result.batch = input.d[0];
    result.groups = op.groups;
    result.channels = input.d[1] / op.groups;
    result.maps = op.maps;
    int32_t const axes = window.size.nbDims;
    result.axes = axes;
    result.depth = axes > 2 ? axisOf(axes - 3) : ConvolutionWorkload::Axis{};
    result.height = axes > 1 ? axisOf(axes - 2) : ConvolutionWorkload::Axis{};
    result.width = axisOf(axes - 1);
    result.kernelAt = places.kernel;
    result.biasAt = places.bias;
    return result;
}

double convolutionOperations(graph::Convolution const& op, NodeSpec const& node) {
    double operations = 2.0 * static_cast<double>(node.inputs[0].opt.d[1] / op.groups);
    for (int32_t i = 0; i < op.window.size.nbDims; ++i) {
        operations *= static_cast<double>(op.window.size.d[i]);
    }
    Dims const& output = node.outputs[0].opt;
    for (int32_t i = 0; i < output.nbDims; ++i) {
        operations *= static_cast<double>(output.d[i]);
    }
    return operations;
}

} // namespace kiln::target
