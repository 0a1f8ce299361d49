// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_non_zero(LayerBindings& bindings) {
    LayerClass<INonZeroLayer>(bindings, LayerType::kNON_ZERO, "INonZeroLayer",
                              "Finds the elements that are not zero.")
        .def_property(
            "indices_type", &INonZeroLayer::getIndicesType,
            [](INonZeroLayer& self, DataType type) { self.setIndicesType(type); },
            "DataType: type of the indices, int32 or int64.");
    bindings.network.def("add_non_zero",
                         py::overload_cast<ITensor&, DataType>(&INetworkDefinition::addNonZero),
                         "input"_a, "indices_type"_a = DataType::kINT32, kInternal,
                         "Finds the elements that are not zero; returns an INonZeroLayer.\n\n"
                         "indices_type: DataType of the indices [rank, count], int32 or int64.");
}

} // namespace kiln::python
