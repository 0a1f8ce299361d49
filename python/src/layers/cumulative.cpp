// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_cumulative(LayerBindings& bindings) {
    LayerClass<ICumulativeLayer>(bindings, LayerType::kCUMULATIVE, "ICumulativeLayer",
                                 "Running sums along an axis.")
        .def_property(
            "op", &ICumulativeLayer::getOperation,
            [](ICumulativeLayer& self, CumulativeOperation op) { self.setOperation(op); },
            "CumulativeOperation: what is accumulated.")
        .def_property("exclusive", &ICumulativeLayer::getExclusive, &ICumulativeLayer::setExclusive,
                      "bool: whether an element is left out of its own sum.")
        .def_property("reverse", &ICumulativeLayer::getReverse, &ICumulativeLayer::setReverse,
                      "bool: whether the sums start at the end.");
    bindings.network.def("add_cumulative", &INetworkDefinition::addCumulative, "input"_a, "axis"_a,
                         "op"_a, "exclusive"_a, "reverse"_a, kInternal,
                         "Adds running sums along an axis, a constant scalar tensor; returns an "
                         "ICumulativeLayer.");
}

} // namespace kiln::python
