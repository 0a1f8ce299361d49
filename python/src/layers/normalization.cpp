// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "layer_hook.h"

namespace kiln::python {

void initNormalizationLayer(py::module_& m) {
    using nvinfer1::INormalizationLayer;
    LayerClass<INormalizationLayer>(m, "INormalizationLayer",
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
}

} // namespace kiln::python
