// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_one_hot(LayerBindings& bindings) {
    LayerClass<IOneHotLayer>(bindings, LayerType::kONE_HOT, "IOneHotLayer",
                             "One-hot encoding of indices along a new axis.")
        .def_property("axis", &IOneHotLayer::getAxis, &IOneHotLayer::setAxis,
                      "int: the new axis in the output; negative numbers count from the end.");
    bindings.network.def("add_one_hot", &INetworkDefinition::addOneHot, "indices"_a, "values"_a,
                         "depth"_a, "axis"_a, kInternal,
                         "Adds a one-hot encoding; returns an IOneHotLayer.\n\n"
                         "values: [2], the value elsewhere and the value at the index. depth: a "
                         "shape tensor of one element, the extent of the new axis.");
}

} // namespace kiln::python
