// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <pybind11/stl.h>

#include "layer_bindings.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

IEinsumLayer* addEinsum(INetworkDefinition& self, Tensors const& inputs,
                        std::string const& equation) {
    return self.addEinsum(inputs.data(), countOf(inputs), equation.c_str());
}

} // namespace

void bindLayer_einsum(LayerBindings& bindings) {
    LayerClass<IEinsumLayer>(bindings, LayerType::kEINSUM, "IEinsumLayer",
                             "Sums products of elements whose axes have names.")
        .def_property(
            "equation", &IEinsumLayer::getEquation,
            [](IEinsumLayer& layer, std::string const& equation) {
                layer.setEquation(equation.c_str());
            },
            "str: the letters of each input, and behind '->' those of the output: "
            "'bij,bjk->bik'.");
    bindings.network.def("add_einsum", &addEinsum, "inputs"_a, "equation"_a, kInternal,
                         "Adds an Einstein summation; returns an IEinsumLayer.");
}

} // namespace kiln::python
