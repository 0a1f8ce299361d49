// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/lrn.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::LRN;

class LRNLayer final : public OpLayer<nvinfer1::ILRNLayer, LRN> {
public:
    using OpLayer::OpLayer;

    void setWindowSize(int64_t windowSize) noexcept override {
        set("window size", [&](LRN& op) { op.window = windowSize; });
    }
    int64_t getWindowSize() const noexcept override { return op().window; }

    void setAlpha(float alpha) noexcept override {
        set("alpha", [&](LRN& op) { op.alpha = alpha; });
    }
    float getAlpha() const noexcept override { return op().alpha; }

    void setBeta(float beta) noexcept override {
        set("beta", [&](LRN& op) { op.beta = beta; });
    }
    float getBeta() const noexcept override { return op().beta; }

    void setK(float k) noexcept override {
        set("k", [&](LRN& op) { op.k = k; });
    }
    float getK() const noexcept override { return op().k; }
};

} // namespace

nvinfer1::ILRNLayer* NetworkDefinition::addLRN(nvinfer1::ITensor& input, int64_t window,
                                               float alpha, float beta, float k) noexcept {
    LRN op;
    op.window = window;
    op.alpha = alpha;
    op.beta = beta;
    op.k = k;
    return addOpLayer<LRNLayer>(*this, "LRN layer", op, {&input});
}

} // namespace kiln::api
