// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_quantize(LayerBindings& bindings) {
    LayerClass<IQuantizeLayer>(bindings, LayerType::kQUANTIZE, "IQuantizeLayer",
                               "clamp(round(x / scale) + zero point), ties to even.")
        .def_property("axis", &IQuantizeLayer::getAxis, &IQuantizeLayer::setAxis,
                      "int: the axis of a scale of rank 1. Default: -1, none.")
        .def_property("block_shape", &IQuantizeLayer::getBlockShape, &IQuantizeLayer::setBlockShape,
                      "Dims: extents of the blocks that share a scale, -1 for a whole dimension. "
                      "Default: none, and the shape of the scale tells the blocks.")
        .def_property("to_type", &IQuantizeLayer::getToType, &IQuantizeLayer::setToType,
                      "DataType: the type of the output: INT8 (default), UINT8, FP8, INT4 or FP4.");
    char const* const text =
        "Adds a quantization; returns an IQuantizeLayer.\n\n"
        "input: floating point. scale: one number, one for each index along the axis, or, of the "
        "rank of the input, one for each block. set_input(2, ...) sets a zero point.";
    bindings.network.def("add_quantize",
                         py::overload_cast<ITensor&, ITensor&>(&INetworkDefinition::addQuantize),
                         "input"_a, "scale"_a, kInternal, text);
    bindings.network.def(
        "add_quantize",
        py::overload_cast<ITensor&, ITensor&, DataType>(&INetworkDefinition::addQuantize),
        "input"_a, "scale"_a, "output_type"_a, kInternal, text);
}

} // namespace kiln::python
