// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_lrn(LayerBindings& bindings) {
    LayerClass<ILRNLayer>(bindings, LayerType::kLRN, "ILRNLayer",
                          "x / (k + alpha / window * sum of squares) ^ beta over neighbouring "
                          "channels, dimension rank - 3.")
        .def_property("window_size", &ILRNLayer::getWindowSize, &ILRNLayer::setWindowSize,
                      "int: number of channels in a sum, 1 or more.")
        .def_property("alpha", &ILRNLayer::getAlpha, &ILRNLayer::setAlpha,
                      "float: factor of the sum.")
        .def_property("beta", &ILRNLayer::getBeta, &ILRNLayer::setBeta, "float: exponent.")
        .def_property("k", &ILRNLayer::getK, &ILRNLayer::setK,
                      "float: number that is added to the sum.");
    bindings.network.def("add_lrn", &INetworkDefinition::addLRN, "input"_a, "window"_a, "alpha"_a,
                         "beta"_a, "k"_a, kInternal,
                         "Adds a local response normalization; returns an ILRNLayer.");
}

} // namespace kiln::python
