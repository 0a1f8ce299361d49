// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/softmax.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class SoftMaxLayer final : public OpLayer<nvinfer1::ISoftMaxLayer, graph::SoftMax> {
public:
    using OpLayer::OpLayer;

    void setAxes(uint32_t axes) noexcept override {
        if (axes == 0) { // the op uses 0 for "not set"
            core().reject("axes", "expected one bit set, got none.");
            return;
        }
        set("axes", [&](graph::SoftMax& op) { op.axes = axes; });
    }
    uint32_t getAxes() const noexcept override {
        nvinfer1::ITensor const* const tensor = getInput(0);
        return op().axesFor(tensor == nullptr ? 0 : tensor->getDimensions().nbDims);
    }
};

} // namespace

nvinfer1::ISoftMaxLayer* NetworkDefinition::addSoftMax(nvinfer1::ITensor& input) noexcept {
    return addOpLayer<SoftMaxLayer>(*this, "softmax layer", graph::SoftMax{}, {&input});
}

} // namespace kiln::api
