// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_normalization(LayerBindings& bindings) {
    LayerClass<INormalizationLayer>(bindings, LayerType::kNORMALIZATION, "INormalizationLayer",
                                    "(x - mean) / sqrt(variance + epsilon) * scale + bias.")
        .def_property("axes", &INormalizationLayer::getAxes, &INormalizationLayer::setAxes,
                      "int: bit i selects axis i; mean and variance are those along these axes.")
        .def_property("epsilon", &INormalizationLayer::getEpsilon, &INormalizationLayer::setEpsilon,
                      "float: added to the variance. Default: 1e-5.")
        .def_property("num_groups", &INormalizationLayer::getNbGroups,
                      &INormalizationLayer::setNbGroups,
                      "int: the groups that channels are divided into. Default: 1.")
        .def_property("compute_precision", &INormalizationLayer::getComputePrecision,
                      &INormalizationLayer::setComputePrecision,
                      "DataType: deprecated, kept without effect: Kiln computes in float.")
        .def_property_readonly("is_v2", &INormalizationLayer::isV2,
                               "bool: whether the layer is from add_normalization_v2.");
    bindings.network.def(
        "add_normalization", &INetworkDefinition::addNormalization, "input"_a, "scale"_a, "bias"_a,
        "axesMask"_a, kInternal,
        "Adds a normalization along axes; returns an INormalizationLayer.\n\n"
        "axesMask: int, bit i selects axis i. scale and bias: of the rank of the input, "
        "extents of 1 are broadcast. Deprecated: use add_normalization_v2.");
    bindings.network.def("add_normalization_v2", &INetworkDefinition::addNormalizationV2, "input"_a,
                         "scale"_a, "bias"_a, "axesMask"_a, kInternal,
                         "Like add_normalization; with groups, scale and bias are by channel.");
}

} // namespace kiln::python
