// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_padding(LayerBindings& bindings) {
    LayerClass<IPaddingLayer>(bindings, LayerType::kPADDING, "IPaddingLayer",
                              "Zeros around the last two axes.")
        .def_property("pre_padding_nd", &IPaddingLayer::getPrePaddingNd,
                      &IPaddingLayer::setPrePaddingNd,
                      "Dims: [height, width] in front; negative numbers cut elements off.")
        .def_property("post_padding_nd", &IPaddingLayer::getPostPaddingNd,
                      &IPaddingLayer::setPostPaddingNd,
                      "Dims: [height, width] behind; negative numbers cut elements off.");
    bindings.network.def("add_padding_nd", &INetworkDefinition::addPaddingNd, "input"_a,
                         "pre_padding"_a, "post_padding"_a, kInternal,
                         "Adds zeros around the last two axes; returns an IPaddingLayer.");
}

} // namespace kiln::python
