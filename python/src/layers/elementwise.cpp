// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_elementwise(LayerBindings& bindings) {
    LayerClass<IElementWiseLayer>(bindings, LayerType::kELEMENTWISE, "IElementWiseLayer",
                                  "Combines two tensors element by element, with broadcasting.")
        .def_property("op", &IElementWiseLayer::getOperation, &IElementWiseLayer::setOperation,
                      "ElementWiseOperation: the operation.");
    bindings.network.def(
        "add_elementwise", &INetworkDefinition::addElementWise, "input1"_a, "input2"_a, "op"_a,
        kInternal, "Adds ``input1 op input2`` with broadcasting; returns an IElementWiseLayer.");
}

} // namespace kiln::python
