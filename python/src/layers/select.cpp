// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_select(LayerBindings& bindings) {
    LayerClass<ISelectLayer>(bindings, LayerType::kSELECT, "ISelectLayer",
                             "Takes each element from one of two tensors, by a condition.");
    bindings.network.def("add_select", &INetworkDefinition::addSelect, "condition"_a,
                         "then_input"_a, "else_input"_a, kInternal,
                         "Takes then_input where the condition holds, else else_input; returns an "
                         "ISelectLayer.");
}

} // namespace kiln::python
