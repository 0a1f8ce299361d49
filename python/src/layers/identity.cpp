// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_identity(LayerBindings& bindings) {
    LayerClass<IIdentityLayer>(bindings, LayerType::kIDENTITY, "IIdentityLayer",
                               "Passes its input on.");
    bindings.network.def("add_identity", &INetworkDefinition::addIdentity, "input"_a, kInternal,
                         "Adds a layer that passes its input on; returns an IIdentityLayer.");
}

} // namespace kiln::python
