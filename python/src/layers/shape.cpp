// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_shape(LayerBindings& bindings) {
    LayerClass<IShapeLayer>(bindings, LayerType::kSHAPE, "IShapeLayer",
                            "Outputs the extents of a tensor, int64.");
    bindings.network.def("add_shape", &INetworkDefinition::addShape, "input"_a, kInternal,
                         "Adds the extents of a tensor, int64; returns an IShapeLayer.");
}

} // namespace kiln::python
