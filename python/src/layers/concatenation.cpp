// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "layer_bindings.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

IConcatenationLayer* addConcatenation(INetworkDefinition& self, Tensors const& inputs) {
    return self.addConcatenation(inputs.data(), countOf(inputs));
}

} // namespace

void bindLayer_concatenation(LayerBindings& bindings) {
    LayerClass<IConcatenationLayer>(bindings, LayerType::kCONCATENATION, "IConcatenationLayer",
                                    "Joins tensors along an axis.")
        .def_property("axis", &IConcatenationLayer::getAxis, &IConcatenationLayer::setAxis,
                      "int: the joined axis. Default: max(rank - 3, 0).");
    bindings.network.def("add_concatenation", &addConcatenation, "inputs"_a, kInternal,
                         "Joins tensors; returns an IConcatenationLayer. Set its axis.");
}

} // namespace kiln::python
