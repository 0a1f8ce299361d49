// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/kernel_properties.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_deconvolution(LayerBindings& bindings) {
    LayerClass<IDeconvolutionLayer> cls(bindings, LayerType::kDECONVOLUTION, "IDeconvolutionLayer",
                                        "Convolves with a kernel, transposed.");
    bindKernel<IDeconvolutionLayer>(cls, "[inputs, outputs / groups, kernel...]");
    bindings.network.def(
        "add_deconvolution_nd", &addWithKernel<&INetworkDefinition::addDeconvolutionNd>, "input"_a,
        "num_output_maps"_a, "kernel_shape"_a, "kernel"_a, "bias"_a = py::none(), kInternal,
        "Adds a transposed convolution; returns an IDeconvolutionLayer.\n\n"
        "input: [batch, channels, height, width]. kernel: [channels, num_output_maps, "
        "*kernel_shape]. bias: [num_output_maps] or None. Arrays are kept alive.");
}

} // namespace kiln::python
