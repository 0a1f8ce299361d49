// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_unary(LayerBindings& bindings) {
    LayerClass<IUnaryLayer>(bindings, LayerType::kUNARY, "IUnaryLayer",
                            "Applies a function to each element.")
        .def_property("op", &IUnaryLayer::getOperation, &IUnaryLayer::setOperation,
                      "UnaryOperation: the function.");
    bindings.network.def(
        "add_unary", &INetworkDefinition::addUnary, "input"_a, "op"_a, kInternal,
        "Adds a function of each element; returns an IUnaryLayer. op: UnaryOperation.");
}

} // namespace kiln::python
