// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_topk(LayerBindings& bindings) {
    LayerClass<ITopKLayer>(bindings, LayerType::kTOPK, "ITopKLayer",
                           "Finds the k largest or smallest elements along an axis.")
        .def_property("op", &ITopKLayer::getOperation, &ITopKLayer::setOperation,
                      "TopKOperation: which elements are kept.")
        .def_property("k", &ITopKLayer::getK, &ITopKLayer::setK,
                      "int: the number of elements, unless input 1 is set.")
        .def_property("axes", &ITopKLayer::getReduceAxes, &ITopKLayer::setReduceAxes,
                      "int: bit mask with one bit: bit i selects dimension i.")
        .def_property(
            "indices_type", &ITopKLayer::getIndicesType,
            [](ITopKLayer& self, DataType type) { self.setIndicesType(type); },
            "DataType: type of the indices, int32 or int64.")
        .def("set_input", &ITopKLayer::setInput, "index"_a, "tensor"_a,
             "Sets the data (0), or k as a scalar shape tensor (1).");
    bindings.network.def(
        "add_topk",
        py::overload_cast<ITensor&, TopKOperation, int32_t, uint32_t, DataType>(
            &INetworkDefinition::addTopK),
        "input"_a, "op"_a, "k"_a, "axes"_a, "indices_type"_a = DataType::kINT32, kInternal,
        "Adds the k best elements along the axis of a bit mask, best first, and their indices; "
        "returns an ITopKLayer.");
}

} // namespace kiln::python
