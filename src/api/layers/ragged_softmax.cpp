// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/ragged_softmax.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class RaggedSoftMaxLayer final
    : public OpLayer<nvinfer1::IRaggedSoftMaxLayer, graph::RaggedSoftMax> {
public:
    using OpLayer::OpLayer;
};

} // namespace

nvinfer1::IRaggedSoftMaxLayer* NetworkDefinition::addRaggedSoftMax(
    nvinfer1::ITensor& input, nvinfer1::ITensor& bounds) noexcept {
    return addOpLayer<RaggedSoftMaxLayer>(*this, "ragged softmax layer", graph::RaggedSoftMax{},
                                          {&input, &bounds});
}

} // namespace kiln::api
