// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_unsqueeze(LayerBindings& bindings) {
    LayerClass<IUnsqueezeLayer>(bindings, LayerType::kUNSQUEEZE, "IUnsqueezeLayer",
                                "Inserts axes of extent 1.");
    bindings.network.def("add_unsqueeze", &INetworkDefinition::addUnsqueeze, "input"_a, "axes"_a,
                         kInternal,
                         "Inserts axes of extent 1 at the places that a constant lists; returns an "
                         "IUnsqueezeLayer.");
}

} // namespace kiln::python
