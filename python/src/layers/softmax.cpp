// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_softmax(LayerBindings& bindings) {
    LayerClass<ISoftMaxLayer>(bindings, LayerType::kSOFTMAX, "ISoftMaxLayer",
                              "exp(x) divided by its sum along an axis.")
        .def_property("axes", &ISoftMaxLayer::getAxes, &ISoftMaxLayer::setAxes,
                      "int: bit i selects dimension i; one bit. Default: bit max(rank - 3, 0).");
    bindings.network.def("add_softmax", &INetworkDefinition::addSoftMax, "input"_a, kInternal,
                         "Adds a softmax; returns an ISoftMaxLayer. Set its axes.");
}

} // namespace kiln::python
