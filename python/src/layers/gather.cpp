// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_gather(LayerBindings& bindings) {
    LayerClass<IGatherLayer>(bindings, LayerType::kGATHER, "IGatherLayer",
                             "Picks elements of a tensor by index.")
        .def_property("axis", &IGatherLayer::getGatherAxis, &IGatherLayer::setGatherAxis,
                      "int: the axis to gather on; ND ignores it.")
        .def_property("num_elementwise_dims", &IGatherLayer::getNbElementWiseDims,
                      &IGatherLayer::setNbElementWiseDims,
                      "int: leading axes that data and indices share. Default: 0.")
        .def_property("mode", &IGatherLayer::getMode, &IGatherLayer::setMode,
                      "GatherMode: how indices are read.");
    bindings.network.def("add_gather", &INetworkDefinition::addGather, "input"_a, "indices"_a,
                         "axis"_a, kInternal,
                         "Adds slices of the input at indices along an axis; returns an "
                         "IGatherLayer.");
    bindings.network.def("add_gather_v2", &INetworkDefinition::addGatherV2, "input"_a, "indices"_a,
                         "mode"_a, kInternal,
                         "Like add_gather in a GatherMode, with axis 0; returns an IGatherLayer.");
}

} // namespace kiln::python
