// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/scale_properties.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_quantize(LayerBindings& bindings) {
    LayerClass<IQuantizeLayer> cls(bindings, LayerType::kQUANTIZE, "IQuantizeLayer",
                                   "clamp(round(x / scale) + zero point), ties to even.");
    bindScales<IQuantizeLayer>(cls, "INT8 (default), UINT8, FP8, INT4 or FP4");
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
