// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_slice(LayerBindings& bindings) {
    LayerClass<ISliceLayer>(bindings, LayerType::kSLICE, "ISliceLayer",
                            "Takes start, start + stride, ... along axes.")
        .def_property("start", &ISliceLayer::getStart, &ISliceLayer::setStart,
                      "Dims: the first coordinates.")
        .def_property("shape", &ISliceLayer::getSize, &ISliceLayer::setSize,
                      "Dims: the extents of the output.")
        .def_property("stride", &ISliceLayer::getStride, &ISliceLayer::setStride,
                      "Dims: the steps; they may be negative.")
        .def_property("axes", &ISliceLayer::getAxes, &ISliceLayer::setAxes,
                      "Dims: the axes that are sliced. Default: all of them.")
        .def_property("mode", &ISliceLayer::getMode, &ISliceLayer::setMode,
                      "SampleMode: what is read outside the input. Default: STRICT_BOUNDS.")
        .def("set_input", &ISliceLayer::setInput, "index"_a, "tensor"_a,
             "Replaces input 0; or sets start (1), shape (2), stride (3), the fill value (4) or "
             "the axes (5) as a tensor.");
    bindings.network.def(
        "add_slice", &INetworkDefinition::addSlice, "input"_a, "start"_a, "shape"_a, "stride"_a,
        kInternal, "Takes start, start + stride, ... along each axis; returns an ISliceLayer.");
}

} // namespace kiln::python
