// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// What the layers with a kernel share: convolutions and deconvolutions.
#pragma once

#include "layers/weights_property.h"
#include "layers/window_properties.h"

namespace kiln::python {

/// `elements`: the order of the kernel's elements.
template <typename Layer, typename Class>
void bindKernel(Class& cls, std::string const& elements) {
    bindWindow<Layer>(cls);
    cls.def_property("num_output_maps", &Layer::getNbOutputMaps, &Layer::setNbOutputMaps,
                     "int: the channels of the output.")
        .def_property("num_groups", &Layer::getNbGroups, &Layer::setNbGroups,
                      "int: groups of channels convolved separately. Default: 1.")
        .def_property("kernel_size_nd", &Layer::getKernelSizeNd, &Layer::setKernelSizeNd,
                      "Dims: the extents of the kernel.")
        .def_property("dilation_nd", &Layer::getDilationNd, &Layer::setDilationNd,
                      "Dims: steps between kernel elements. Default: ones.")
        .def_property("kernel", weightsGetter(&Layer::getKernelWeights),
                      weightsSetter(&Layer::setKernelWeights),
                      ("numpy.ndarray | Weights: " + elements + ", flat.").c_str())
        .def_property("bias", weightsGetter(&Layer::getBiasWeights),
                      weightsSetter<OptionalWeights>(&Layer::setBiasWeights),
                      "numpy.ndarray | Weights: [outputs], or empty.");
}

/// A method of networks that adds such a layer by kAdd, and keeps the arrays alive.
template <auto kAdd>
auto addWithKernel(py::object const& self, nvinfer1::ITensor& input, int64_t outputMaps,
                   nvinfer1::Dims const& kernelShape, WeightsArgument const& kernel,
                   OptionalWeights const& bias) {
    WeightsObject const kernelWeights = toWeights(kernel);
    WeightsObject const biasWeights = toWeights(bias);
    keepWeights(self, kernelWeights);
    keepWeights(self, biasWeights);
    return (self.cast<nvinfer1::INetworkDefinition&>().*
            kAdd)(input, outputMaps, kernelShape, kernelWeights.native, biasWeights.native);
}

} // namespace kiln::python
