// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Properties that quantize and dequantize layers share.
#pragma once

#include "layer_bindings.h"

namespace kiln::python {

/// `types`: those that the output may have.
template <typename Layer, typename Class>
void bindScales(Class& cls, std::string const& types) {
    cls.def_property("axis", &Layer::getAxis, &Layer::setAxis,
                     "int: the axis of a scale of rank 1. Default: -1, none.")
        .def_property("block_shape", &Layer::getBlockShape, &Layer::setBlockShape,
                      "Dims: extents of the blocks that share a scale, -1 for a whole dimension. "
                      "Default: none, and the shape of the scale tells the blocks.")
        .def_property("to_type", &Layer::getToType, &Layer::setToType,
                      ("DataType: the type of the output: " + types + ".").c_str());
}

} // namespace kiln::python
