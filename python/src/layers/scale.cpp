// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/weights_property.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

IScaleLayer* addScaleNd(py::object const& self, ITensor& input, ScaleMode mode,
                        OptionalWeights const& shift, OptionalWeights const& scale,
                        OptionalWeights const& power, int32_t channelAxis) {
    WeightsObject const shiftWeights = toWeights(shift);
    WeightsObject const scaleWeights = toWeights(scale);
    WeightsObject const powerWeights = toWeights(power);
    keepWeights(self, shiftWeights);
    keepWeights(self, scaleWeights);
    keepWeights(self, powerWeights);
    return self.cast<INetworkDefinition&>().addScaleNd(
        input, mode, shiftWeights.native, scaleWeights.native, powerWeights.native, channelAxis);
}

IScaleLayer* addScale(py::object const& self, ITensor& input, ScaleMode mode,
                      OptionalWeights const& shift, OptionalWeights const& scale,
                      OptionalWeights const& power) {
    return addScaleNd(self, input, mode, shift, scale, power, 1);
}

} // namespace

void bindLayer_scale(LayerBindings& bindings) {
    LayerClass<IScaleLayer>(bindings, LayerType::kSCALE, "IScaleLayer",
                            "(x * scale + shift) ^ power.")
        .def_property("mode", &IScaleLayer::getMode, &IScaleLayer::setMode,
                      "ScaleMode: which elements share a coefficient.")
        .def_property("shift", weightsGetter(&IScaleLayer::getShift),
                      weightsSetter<OptionalWeights>(&IScaleLayer::setShift),
                      "numpy.ndarray | Weights: what is added; empty: 0.")
        .def_property("scale", weightsGetter(&IScaleLayer::getScale),
                      weightsSetter<OptionalWeights>(&IScaleLayer::setScale),
                      "numpy.ndarray | Weights: the factor; empty: 1.")
        .def_property("power", weightsGetter(&IScaleLayer::getPower),
                      weightsSetter<OptionalWeights>(&IScaleLayer::setPower),
                      "numpy.ndarray | Weights: the exponent; empty: 1.")
        .def_property("channel_axis", &IScaleLayer::getChannelAxis, &IScaleLayer::setChannelAxis,
                      "int: the axis of CHANNEL, where ELEMENTWISE begins. Default: 1.");
    bindings.network.def("add_scale", &addScale, "input"_a, "mode"_a, "shift"_a = py::none(),
                         "scale"_a = py::none(), "power"_a = py::none(), kInternal,
                         "Adds (input * scale + shift) ^ power with channel axis 1; returns an "
                         "IScaleLayer. Arrays are kept alive.");
    bindings.network.def("add_scale_nd", &addScaleNd, "input"_a, "mode"_a, "shift"_a = py::none(),
                         "scale"_a = py::none(), "power"_a = py::none(), "channel_axis"_a = 1,
                         kInternal, "Like add_scale, with a channel axis.");
}

} // namespace kiln::python
