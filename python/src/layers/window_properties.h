// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Properties that layers with a window share.
#pragma once

#include "layer_bindings.h"

namespace kiln::python {

template <typename Layer, typename Class>
void bindWindow(Class& cls) {
    cls.def_property("stride_nd", &Layer::getStrideNd, &Layer::setStrideNd,
                     "Dims: steps of the window. Default: ones.")
        .def_property("padding_nd", &Layer::getPaddingNd, &Layer::setPaddingNd,
                      "Dims: padding on both sides. Default: zeros.")
        .def_property("pre_padding", &Layer::getPrePadding, &Layer::setPrePadding,
                      "Dims: padding before the first element. Default: zeros.")
        .def_property("post_padding", &Layer::getPostPadding, &Layer::setPostPadding,
                      "Dims: padding after the last element. Default: zeros.")
        .def_property("padding_mode", &Layer::getPaddingMode, &Layer::setPaddingMode,
                      "PaddingMode: how paddings and output extents follow from the input. "
                      "Default: EXPLICIT_ROUND_DOWN.");
}

} // namespace kiln::python
