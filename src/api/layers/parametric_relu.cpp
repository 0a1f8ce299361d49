// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/parametric_relu.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class ParametricReLULayer final
    : public OpLayer<nvinfer1::IParametricReLULayer, graph::ParametricReLU> {
public:
    using OpLayer::OpLayer;
};

} // namespace

nvinfer1::IParametricReLULayer* NetworkDefinition::addParametricReLU(
    nvinfer1::ITensor& input, nvinfer1::ITensor& slope) noexcept {
    return addOpLayer<ParametricReLULayer>(*this, "parametric ReLU layer", graph::ParametricReLU{},
                                           {&input, &slope});
}

} // namespace kiln::api
