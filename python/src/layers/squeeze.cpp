// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_squeeze(LayerBindings& bindings) {
    LayerClass<ISqueezeLayer>(bindings, LayerType::kSQUEEZE, "ISqueezeLayer",
                              "Removes axes of extent 1.");
    bindings.network.def("add_squeeze", &INetworkDefinition::addSqueeze, "input"_a, "axes"_a,
                         kInternal,
                         "Removes the axes of extent 1 that a constant lists; returns an "
                         "ISqueezeLayer.");
}

} // namespace kiln::python
