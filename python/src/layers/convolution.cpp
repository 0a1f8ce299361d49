// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/weights_property.h"
#include "layers/window_properties.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

IConvolutionLayer* addConvolution(py::object const& self, ITensor& input, int64_t outputMaps,
                                  Dims const& kernelShape, WeightsArgument const& kernel,
                                  OptionalWeights const& bias) {
    WeightsObject const kernelWeights = toWeights(kernel);
    WeightsObject const biasWeights = toWeights(bias);
    keepWeights(self, kernelWeights);
    keepWeights(self, biasWeights);
    return self.cast<INetworkDefinition&>().addConvolutionNd(
        input, outputMaps, kernelShape, kernelWeights.native, biasWeights.native);
}

} // namespace

void bindLayer_convolution(LayerBindings& bindings) {
    LayerClass<IConvolutionLayer> cls(bindings, LayerType::kCONVOLUTION, "IConvolutionLayer",
                                      "Convolves with a kernel.");
    bindWindow<IConvolutionLayer>(cls);
    cls.def_property("num_output_maps", &IConvolutionLayer::getNbOutputMaps,
                     &IConvolutionLayer::setNbOutputMaps, "int: the channels of the output.")
        .def_property("num_groups", &IConvolutionLayer::getNbGroups,
                      &IConvolutionLayer::setNbGroups,
                      "int: groups of channels convolved separately. Default: 1.")
        .def_property("kernel_size_nd", &IConvolutionLayer::getKernelSizeNd,
                      &IConvolutionLayer::setKernelSizeNd, "Dims: the extents of the kernel.")
        .def_property("dilation_nd", &IConvolutionLayer::getDilationNd,
                      &IConvolutionLayer::setDilationNd,
                      "Dims: steps between kernel elements. Default: ones.")
        .def_property("kernel", weightsGetter(&IConvolutionLayer::getKernelWeights),
                      weightsSetter(&IConvolutionLayer::setKernelWeights),
                      "numpy.ndarray | Weights: [outputs, inputs / groups, kernel...], flat.")
        .def_property("bias", weightsGetter(&IConvolutionLayer::getBiasWeights),
                      weightsSetter<OptionalWeights>(&IConvolutionLayer::setBiasWeights),
                      "numpy.ndarray | Weights: [outputs], or empty.");
    bindings.network.def(
        "add_convolution_nd", &addConvolution, "input"_a, "num_output_maps"_a, "kernel_shape"_a,
        "kernel"_a, "bias"_a = py::none(), kInternal,
        "Adds a convolution; returns an IConvolutionLayer.\n\n"
        "input: [batch, channels, height, width]. kernel: [num_output_maps, channels, "
        "*kernel_shape]. bias: [num_output_maps] or None. Arrays are kept alive.");
}

} // namespace kiln::python
