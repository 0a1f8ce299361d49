// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_reduce(LayerBindings& bindings) {
    LayerClass<IReduceLayer>(bindings, LayerType::kREDUCE, "IReduceLayer",
                             "Combines all elements along some axes.")
        .def_property("op", &IReduceLayer::getOperation, &IReduceLayer::setOperation,
                      "ReduceOperation: the operation.")
        .def_property("axes", &IReduceLayer::getReduceAxes, &IReduceLayer::setReduceAxes,
                      "int: bit i selects axis i.")
        .def_property("keep_dims", &IReduceLayer::getKeepDimensions,
                      &IReduceLayer::setKeepDimensions,
                      "bool: whether the reduced axes stay, with extent 1.");
    bindings.network.def("add_reduce", &INetworkDefinition::addReduce, "input"_a, "op"_a, "axes"_a,
                         "keep_dims"_a, kInternal,
                         "Combines elements along axes; returns an IReduceLayer.\n\n"
                         "op: ReduceOperation. axes: int, bit i selects axis i. keep_dims: bool.");
}

} // namespace kiln::python
