// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_grid_sample(LayerBindings& bindings) {
    LayerClass<IGridSampleLayer>(bindings, LayerType::kGRID_SAMPLE, "IGridSampleLayer",
                                 "Samples images at the coordinates of a grid.")
        .def_property("interpolation_mode", &IGridSampleLayer::getInterpolationMode,
                      &IGridSampleLayer::setInterpolationMode,
                      "InterpolationMode: the interpolation. Default: LINEAR.")
        .def_property("align_corners", &IGridSampleLayer::getAlignCorners,
                      &IGridSampleLayer::setAlignCorners,
                      "bool: whether -1 and 1 are the centres of the border elements. Default: "
                      "False.")
        .def_property(
            "sample_mode", &IGridSampleLayer::getSampleMode,
            [](IGridSampleLayer& layer, SampleMode mode) { layer.setSampleMode(mode); },
            "SampleMode: what is read outside of the images: FILL, CLAMP or REFLECT. Default: "
            "FILL.");
    bindings.network.def("add_grid_sample", &INetworkDefinition::addGridSample, "input"_a, "grid"_a,
                         kInternal,
                         "Samples images at the coordinates of a grid; returns an "
                         "IGridSampleLayer.");
}

} // namespace kiln::python
