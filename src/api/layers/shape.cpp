// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/shape.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using ShapeLayer = OpLayer<nvinfer1::IShapeLayer, graph::Shape>;

} // namespace

nvinfer1::IShapeLayer* NetworkDefinition::addShape(nvinfer1::ITensor& input) noexcept {
    return addOpLayer<ShapeLayer>(*this, "shape layer", graph::Shape{}, {&input});
}

} // namespace kiln::api
