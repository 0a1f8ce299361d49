// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_assertion(LayerBindings& bindings) {
    LayerClass<IAssertionLayer>(bindings, LayerType::kASSERTION, "IAssertionLayer",
                                "Fails unless a condition holds.")
        .def_property("message", &IAssertionLayer::getMessage, &IAssertionLayer::setMessage,
                      "str: the text of the error.");
    bindings.network.def("add_assertion", &INetworkDefinition::addAssertion, "condition"_a,
                         "message"_a, kInternal,
                         "Fails with a message unless all elements are true; returns an "
                         "IAssertionLayer.\n\n"
                         "condition: bool, of rank 0 or 1.");
}

} // namespace kiln::python
