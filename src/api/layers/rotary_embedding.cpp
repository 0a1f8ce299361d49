// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/rotary_embedding.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::RotaryEmbedding;

class RotaryEmbeddingLayer final
    : public OpLayer<nvinfer1::IRotaryEmbeddingLayer, RotaryEmbedding> {
public:
    using OpLayer::OpLayer;

    void setInterleaved(bool interleaved) noexcept override {
        set("interleaved", [&](RotaryEmbedding& op) { op.interleaved = interleaved; });
    }
    bool getInterleaved() const noexcept override { return op().interleaved; }

    bool setRotaryEmbeddingDim(int32_t rotaryEmbeddingDim) noexcept override {
        return set("rotary embedding dimension",
                   [&](RotaryEmbedding& op) { op.rotated = rotaryEmbeddingDim; });
    }
    int32_t getRotaryEmbeddingDim() const noexcept override { return op().rotated; }
};

} // namespace

nvinfer1::IRotaryEmbeddingLayer* NetworkDefinition::addRotaryEmbedding(
    nvinfer1::ITensor& input, nvinfer1::ITensor& cosCache, nvinfer1::ITensor& sinCache,
    bool interleaved, int32_t rotaryEmbeddingDim) noexcept {
    RotaryEmbedding op;
    op.interleaved = interleaved;
    op.rotated = rotaryEmbeddingDim;
    return addOpLayer<RotaryEmbeddingLayer>(*this, "rotary embedding layer", op,
                                            {&input, &cosCache, &sinCache});
}

} // namespace kiln::api
