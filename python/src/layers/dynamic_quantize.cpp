// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_dynamic_quantize(LayerBindings& bindings) {
    LayerClass<IDynamicQuantizeLayer>(
        bindings, LayerType::kDYNAMIC_QUANTIZE, "IDynamicQuantizeLayer",
        "Quantization in blocks, with scales computed from the elements.")
        .def_property("axis", &IDynamicQuantizeLayer::getAxis, &IDynamicQuantizeLayer::setAxis,
                      "int: the axis that is divided into blocks; -1 with a block shape.")
        .def_property("block_size", &IDynamicQuantizeLayer::getBlockSize,
                      &IDynamicQuantizeLayer::setBlockSize,
                      "int: the elements of a block along the axis; -1 with a block shape.")
        .def_property("block_shape", &IDynamicQuantizeLayer::getBlockShape,
                      &IDynamicQuantizeLayer::setBlockShape,
                      "Dims: the extents of a block, -1 for a whole dimension.")
        .def_property("to_type", &IDynamicQuantizeLayer::getToType,
                      &IDynamicQuantizeLayer::setToType,
                      "DataType: the type of output 0: FP4, FP8, INT8 or INT4.")
        .def_property(
            "scale_type", &IDynamicQuantizeLayer::getScaleType,
            &IDynamicQuantizeLayer::setScaleType,
            "DataType: the type of the scales, output 1: FP8, E8M0, FLOAT, HALF or BF16.");
    bindings.network.def("add_dynamic_quantize", &INetworkDefinition::addDynamicQuantize, "input"_a,
                         "axis"_a, "block_size"_a, "output_type"_a, "scale_type"_a, kInternal,
                         "Adds a quantization with a scale for each block of block_size elements "
                         "along an axis; returns an IDynamicQuantizeLayer.\n\n"
                         "Outputs: the elements, the scales. set_input(1, ...) sets a number by "
                         "which the scales are scaled. Deprecated: use add_dynamic_quantize_v2.");
    bindings.network.def("add_dynamic_quantize_v2", &INetworkDefinition::addDynamicQuantizeV2,
                         "input"_a, "block_shape"_a, "output_type"_a, "scale_type"_a, kInternal,
                         "Like add_dynamic_quantize, with blocks of the given extents.");
}

} // namespace kiln::python
