// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/squeeze.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class SqueezeLayer final : public OpLayer<nvinfer1::ISqueezeLayer, graph::Squeeze> {
public:
    using OpLayer::OpLayer;
};

} // namespace

nvinfer1::ISqueezeLayer* NetworkDefinition::addSqueeze(nvinfer1::ITensor& input,
                                                       nvinfer1::ITensor& axes) noexcept {
    return addOpLayer<SqueezeLayer>(*this, "squeeze layer", graph::Squeeze{}, {&input, &axes});
}

} // namespace kiln::api
