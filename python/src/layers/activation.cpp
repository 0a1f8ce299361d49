// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_activation(LayerBindings& bindings) {
    LayerClass<IActivationLayer>(bindings, LayerType::kACTIVATION, "IActivationLayer",
                                 "Applies a function to each element.")
        .def_property("type", &IActivationLayer::getActivationType,
                      &IActivationLayer::setActivationType, "ActivationType: the function.")
        .def_property("alpha", &IActivationLayer::getAlpha, &IActivationLayer::setAlpha,
                      "float: first parameter of the function, if it has one.")
        .def_property("beta", &IActivationLayer::getBeta, &IActivationLayer::setBeta,
                      "float: second parameter of the function, if it has one.");
    bindings.network.def("add_activation", &INetworkDefinition::addActivation, "input"_a, "type"_a,
                         kInternal,
                         "Adds a function of each element; returns an IActivationLayer.");
}

} // namespace kiln::python
