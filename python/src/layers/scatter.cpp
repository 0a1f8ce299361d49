// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_scatter(LayerBindings& bindings) {
    LayerClass<IScatterLayer>(bindings, LayerType::kSCATTER, "IScatterLayer",
                              "Copies a tensor and replaces elements by index.")
        .def_property("axis", &IScatterLayer::getAxis, &IScatterLayer::setAxis,
                      "int: the axis of ELEMENT; ND ignores it. Default: 0.")
        .def_property("mode", &IScatterLayer::getMode, &IScatterLayer::setMode,
                      "ScatterMode: how indices are read.");
    bindings.network.def("add_scatter", &INetworkDefinition::addScatter, "data"_a, "indices"_a,
                         "updates"_a, "mode"_a, kInternal,
                         "Adds a copy of the data with the updates at the indices; returns an "
                         "IScatterLayer. Set its axis for ScatterMode.ELEMENT.");
}

} // namespace kiln::python
