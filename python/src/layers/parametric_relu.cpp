// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_parametric_relu(LayerBindings& bindings) {
    LayerClass<IParametricReLULayer>(bindings, LayerType::kPARAMETRIC_RELU, "IParametricReLULayer",
                                     "x if x >= 0, else slope * x.");
    bindings.network.def("add_parametric_relu", &INetworkDefinition::addParametricReLU, "input"_a,
                         "slopes"_a, kInternal,
                         "Adds a ReLU with slopes of the input's rank, whose extents are those of "
                         "the input or 1; returns an IParametricReLULayer.");
}

} // namespace kiln::python
