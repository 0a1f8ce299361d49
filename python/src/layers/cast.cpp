// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_cast(LayerBindings& bindings) {
    LayerClass<ICastLayer>(bindings, LayerType::kCAST, "ICastLayer", "Converts to another type.")
        .def_property("to_type", &ICastLayer::getToType, &ICastLayer::setToType,
                      "DataType: the type of the output.");
    bindings.network.def("add_cast", &INetworkDefinition::addCast, "input"_a, "to_type"_a,
                         kInternal, "Adds a conversion to a DataType; returns an ICastLayer.");
}

} // namespace kiln::python
