// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// RotaryEmbedding. An input [batch, length, hidden] becomes [batch, heads, length, size] and back.
// Layer: rotary embedding.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

constexpr nvinfer1::Permutation kSwapped{{0, 2, 1, 3}};

// [batch, heads, length, size] of [batch, length, heads * size].
ITensor& withHeads(NodeContext& context, ITensor& tensor) {
    int64_t const heads = context.attributes().integer("num_heads", 0);
    if (heads < 1) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'num_heads': expected 1 or more for an input of rank 3, got ",
                          heads, "."));
    }
    auto& layer = context.named(context.network().addShuffle(tensor), "heads");
    layer.setReshapeDimensions(Dims{4, {0, 0, heads, -1}});
    layer.setSecondTranspose(kSwapped);
    return *layer.getOutput(0);
}

void importRotaryEmbedding(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    int32_t const rank = context.dims(tensor).nbDims;
    if (rank != 3 && rank != 4) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("expected an input of rank 3 or 4, got ", context.dims(tensor), "."));
    }
    ITensor& data = rank == 3 ? withHeads(context, tensor) : tensor;
    auto& attributes = context.attributes();
    auto& layer = context.named(context.network().addRotaryEmbedding(
        data, context.tensor(1), context.tensor(2), attributes.integer("interleaved", 0) != 0,
        toInt32(attributes.integer("rotary_embedding_dim", 0),
                "attribute 'rotary_embedding_dim'")));
    if (context.hasInput(3)) {
        layer.setInput(3, context.tensor(3));
    }
    if (rank == 4) {
        context.setOutput(layer);
        return;
    }
    auto& joined = context.named(context.network().addShuffle(*layer.getOutput(0)), "join");
    joined.setFirstTranspose(kSwapped);
    joined.setReshapeDimensions(Dims{3, {0, 0, -1}});
    context.setOutput(joined);
}

} // namespace

void registerImporter_rotary_embedding(ImporterRegistry& registry) {
    registry.add("RotaryEmbedding", importRotaryEmbedding);
}

} // namespace kiln::onnx
