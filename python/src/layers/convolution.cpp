// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/kernel_properties.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_convolution(LayerBindings& bindings) {
    LayerClass<IConvolutionLayer> cls(bindings, LayerType::kCONVOLUTION, "IConvolutionLayer",
                                      "Convolves with a kernel.");
    bindKernel<IConvolutionLayer>(cls, "[outputs, inputs / groups, kernel...]");
    bindings.network.def(
        "add_convolution_nd", &addWithKernel<&INetworkDefinition::addConvolutionNd>, "input"_a,
        "num_output_maps"_a, "kernel_shape"_a, "kernel"_a, "bias"_a = py::none(), kInternal,
        "Adds a convolution; returns an IConvolutionLayer.\n\n"
        "input: [batch, channels, height, width]. kernel: [num_output_maps, channels, "
        "*kernel_shape]. bias: [num_output_maps] or None. Arrays are kept alive.");
}

} // namespace kiln::python
