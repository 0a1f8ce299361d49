// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/constant.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class ConstantLayer final : public OpLayer<nvinfer1::IConstantLayer, graph::Constant> {
public:
    using OpLayer::OpLayer;

    void setWeights(nvinfer1::Weights weights) noexcept override {
        set("weights", [&](graph::Constant& op) { op.value = weights; });
    }
    nvinfer1::Weights getWeights() const noexcept override { return op().value; }

    void setDimensions(nvinfer1::Dims const& dimensions) noexcept override {
        set("dimensions", [&](graph::Constant& op) { op.dims = dimensions; });
    }
    nvinfer1::Dims getDimensions() const noexcept override { return op().dims; }
};

} // namespace

nvinfer1::IConstantLayer* NetworkDefinition::addConstant(nvinfer1::Dims const& dimensions,
                                                         nvinfer1::Weights weights) noexcept {
    graph::Constant op;
    op.dims = dimensions;
    op.value = weights;
    return reporter_.guard<nvinfer1::IConstantLayer*>(nullptr, [&] {
        std::string text = op.problem();
        if (text.empty()) { // setters may break this temporarily, a new layer may not
            text = op.countProblem();
        }
        if (!text.empty()) {
            fail(ErrorKind::kInvalidArgument, "[network] constant layer: {}", text);
        }
        return addLayer<ConstantLayer>("constant layer", std::make_unique<graph::Constant>(op), {});
    });
}

} // namespace kiln::api
