// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/weights_property.h"
#include "layers/window_properties.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

IDeconvolutionLayer* addDeconvolution(py::object const& self, ITensor& input, int64_t outputMaps,
                                      Dims const& kernelShape, WeightsArgument const& kernel,
                                      OptionalWeights const& bias) {
    WeightsObject const kernelWeights = toWeights(kernel);
    WeightsObject const biasWeights = toWeights(bias);
    keepWeights(self, kernelWeights);
    keepWeights(self, biasWeights);
    return self.cast<INetworkDefinition&>().addDeconvolutionNd(
        input, outputMaps, kernelShape, kernelWeights.native, biasWeights.native);
}

} // namespace

void bindLayer_deconvolution(LayerBindings& bindings) {
    LayerClass<IDeconvolutionLayer> cls(bindings, LayerType::kDECONVOLUTION, "IDeconvolutionLayer",
                                        "Convolves with a kernel, transposed.");
    bindWindow<IDeconvolutionLayer>(cls);
    cls.def_property("num_output_maps", &IDeconvolutionLayer::getNbOutputMaps,
                     &IDeconvolutionLayer::setNbOutputMaps, "int: the channels of the output.")
        .def_property("num_groups", &IDeconvolutionLayer::getNbGroups,
                      &IDeconvolutionLayer::setNbGroups,
                      "int: groups of channels convolved separately. Default: 1.")
        .def_property("kernel_size_nd", &IDeconvolutionLayer::getKernelSizeNd,
                      &IDeconvolutionLayer::setKernelSizeNd, "Dims: the extents of the kernel.")
        .def_property("dilation_nd", &IDeconvolutionLayer::getDilationNd,
                      &IDeconvolutionLayer::setDilationNd,
                      "Dims: steps between kernel elements. Default: ones.")
        .def_property("kernel", weightsGetter(&IDeconvolutionLayer::getKernelWeights),
                      weightsSetter(&IDeconvolutionLayer::setKernelWeights),
                      "numpy.ndarray | Weights: [inputs, outputs / groups, kernel...], flat.")
        .def_property("bias", weightsGetter(&IDeconvolutionLayer::getBiasWeights),
                      weightsSetter<OptionalWeights>(&IDeconvolutionLayer::setBiasWeights),
                      "numpy.ndarray | Weights: [outputs], or empty.");
    bindings.network.def(
        "add_deconvolution_nd", &addDeconvolution, "input"_a, "num_output_maps"_a, "kernel_shape"_a,
        "kernel"_a, "bias"_a = py::none(), kInternal,
        "Adds a transposed convolution; returns an IDeconvolutionLayer.\n\n"
        "input: [batch, channels, height, width]. kernel: [channels, num_output_maps, "
        "*kernel_shape]. bias: [num_output_maps] or None. Arrays are kept alive.");
}

} // namespace kiln::python
