// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/unsqueeze.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class UnsqueezeLayer final : public OpLayer<nvinfer1::IUnsqueezeLayer, graph::Unsqueeze> {
public:
    using OpLayer::OpLayer;
};

} // namespace

nvinfer1::IUnsqueezeLayer* NetworkDefinition::addUnsqueeze(nvinfer1::ITensor& input,
                                                           nvinfer1::ITensor& axes) noexcept {
    return addOpLayer<UnsqueezeLayer>(*this, "unsqueeze layer", graph::Unsqueeze{},
                                      {&input, &axes});
}

} // namespace kiln::api
