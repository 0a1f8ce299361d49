// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_dequantize(LayerBindings& bindings) {
    LayerClass<IDequantizeLayer>(bindings, LayerType::kDEQUANTIZE, "IDequantizeLayer",
                                 "(x - zero point) * scale.")
        .def_property("axis", &IDequantizeLayer::getAxis, &IDequantizeLayer::setAxis,
                      "int: the axis of a scale of rank 1. Default: -1, none.")
        .def_property("block_shape", &IDequantizeLayer::getBlockShape,
                      &IDequantizeLayer::setBlockShape,
                      "Dims: extents of the blocks that share a scale, -1 for a whole dimension. "
                      "Default: none, and the shape of the scale tells the blocks.")
        .def_property("to_type", &IDequantizeLayer::getToType, &IDequantizeLayer::setToType,
                      "DataType: the type of the output: FLOAT (default), HALF or BF16.");
    char const* const text =
        "Adds a dequantization; returns an IDequantizeLayer.\n\n"
        "input: INT8, UINT8, FP8, INT4 or FP4. scale: one number, one for each index along the "
        "axis, or, of the rank of the input, one for each block. set_input(2, ...) sets a zero "
        "point.";
    bindings.network.def("add_dequantize",
                         py::overload_cast<ITensor&, ITensor&>(&INetworkDefinition::addDequantize),
                         "input"_a, "scale"_a, kInternal, text);
    bindings.network.def(
        "add_dequantize",
        py::overload_cast<ITensor&, ITensor&, DataType>(&INetworkDefinition::addDequantize),
        "input"_a, "scale"_a, "output_type"_a, kInternal, text);
}

} // namespace kiln::python
