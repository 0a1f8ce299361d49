// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layers/window_properties.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_pooling(LayerBindings& bindings) {
    LayerClass<IPoolingLayer> cls(bindings, LayerType::kPOOLING, "IPoolingLayer",
                                  "Takes the largest or the mean of each window.");
    bindWindow<IPoolingLayer>(cls);
    cls.def_property("type", &IPoolingLayer::getPoolingType, &IPoolingLayer::setPoolingType,
                     "PoolingType: what is taken.")
        .def_property("window_size_nd", &IPoolingLayer::getWindowSizeNd,
                      &IPoolingLayer::setWindowSizeNd, "Dims: the extents of the window.")
        .def_property("blend_factor", &IPoolingLayer::getBlendFactor,
                      &IPoolingLayer::setBlendFactor,
                      "float: share of the mean in MAX_AVERAGE_BLEND, 0 to 1.")
        .def_property("average_count_excludes_padding",
                      &IPoolingLayer::getAverageCountExcludesPadding,
                      &IPoolingLayer::setAverageCountExcludesPadding,
                      "bool: whether a mean excludes padding. Default: True.");
    bindings.network.def("add_pooling_nd", &INetworkDefinition::addPoolingNd, "input"_a, "type"_a,
                         "window_size"_a, kInternal, "Adds a pooling; returns an IPoolingLayer.");
}

} // namespace kiln::python
