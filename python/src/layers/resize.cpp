// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

#include <pybind11/stl.h>

namespace kiln::python {
namespace {

using namespace nvinfer1;

std::vector<float> scalesOf(IResizeLayer const& layer) {
    int32_t const count = layer.getScales(0, nullptr);
    std::vector<float> scales(static_cast<std::size_t>(count < 0 ? 0 : count));
    layer.getScales(count, scales.data());
    return scales;
}

void setScales(IResizeLayer& layer, std::vector<float> const& scales) {
    layer.setScales(scales.data(), static_cast<int32_t>(scales.size()));
}

} // namespace

void bindLayer_resize(LayerBindings& bindings) {
    LayerClass<IResizeLayer>(bindings, LayerType::kRESIZE, "IResizeLayer",
                             "Resizes axes by interpolation.")
        .def_property("shape", &IResizeLayer::getOutputDimensions,
                      &IResizeLayer::setOutputDimensions, "Dims: the extents of the output.")
        .def_property("scales", &scalesOf, &setScales,
                      "list[float]: a factor for each axis, instead of a shape; empty if there are "
                      "none.")
        .def_property("resize_mode", &IResizeLayer::getResizeMode, &IResizeLayer::setResizeMode,
                      "InterpolationMode: the interpolation. Default: NEAREST.")
        .def_property("coordinate_transformation", &IResizeLayer::getCoordinateTransformation,
                      &IResizeLayer::setCoordinateTransformation,
                      "ResizeCoordinateTransformation: how output indices become input "
                      "coordinates. Default: ASYMMETRIC.")
        .def_property("selector_for_single_pixel", &IResizeLayer::getSelectorForSinglePixel,
                      &IResizeLayer::setSelectorForSinglePixel,
                      "ResizeSelector: the coordinate if the output has a single element along an "
                      "axis. Default: FORMULA.")
        .def_property("nearest_rounding", &IResizeLayer::getNearestRounding,
                      &IResizeLayer::setNearestRounding,
                      "ResizeRoundMode: the rounding of NEAREST. Default: FLOOR.")
        .def_property("cubic_coeff", &IResizeLayer::getCubicCoeff, &IResizeLayer::setCubicCoeff,
                      "float: the coefficient of CUBIC. Default: -0.75.")
        .def_property("exclude_outside", &IResizeLayer::getExcludeOutside,
                      &IResizeLayer::setExcludeOutside,
                      "bool: whether CUBIC leaves samples outside of the input out. Default: "
                      "False.")
        .def("set_input", &IResizeLayer::setInput, "index"_a, "tensor"_a,
             "Replaces input 0, or sets the shape as a tensor (1).");
    bindings.network.def("add_resize", &INetworkDefinition::addResize, "input"_a, kInternal,
                         "Resizes by interpolation: set shape or scales; returns an "
                         "IResizeLayer.");
}

} // namespace kiln::python
