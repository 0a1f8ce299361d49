// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/padding.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Padding;
using nvinfer1::Dims;

class PaddingLayer final : public OpLayer<nvinfer1::IPaddingLayer, Padding> {
public:
    using OpLayer::OpLayer;

    void setPrePaddingNd(Dims const& padding) noexcept override {
        set("padding in front", [&](Padding& op) { op.before = padding; });
    }
    Dims getPrePaddingNd() const noexcept override { return op().before; }

    void setPostPaddingNd(Dims const& padding) noexcept override {
        set("padding behind", [&](Padding& op) { op.after = padding; });
    }
    Dims getPostPaddingNd() const noexcept override { return op().after; }
};

} // namespace

nvinfer1::IPaddingLayer* NetworkDefinition::addPaddingNd(nvinfer1::ITensor& input,
                                                         Dims const& prePadding,
                                                         Dims const& postPadding) noexcept {
    Padding op;
    op.before = prePadding;
    op.after = postPadding;
    return addOpLayer<PaddingLayer>(*this, "padding layer", op, {&input});
}

} // namespace kiln::api
