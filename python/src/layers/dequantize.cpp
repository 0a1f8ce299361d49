// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/scale_properties.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_dequantize(LayerBindings& bindings) {
    LayerClass<IDequantizeLayer> cls(bindings, LayerType::kDEQUANTIZE, "IDequantizeLayer",
                                     "(x - zero point) * scale.");
    bindScales<IDequantizeLayer>(cls, "FLOAT (default), HALF or BF16");
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
