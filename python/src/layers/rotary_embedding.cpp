// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_rotary_embedding(LayerBindings& bindings) {
    LayerClass<IRotaryEmbeddingLayer>(bindings, LayerType::kROTARY_EMBEDDING,
                                      "IRotaryEmbeddingLayer",
                                      "Rotates pairs of elements of each head by position.")
        .def_property("interleaved", &IRotaryEmbeddingLayer::getInterleaved,
                      &IRotaryEmbeddingLayer::setInterleaved,
                      "bool: whether neighbours form a pair; else elements half a head apart.")
        .def_property("rotary_embedding_dim", &IRotaryEmbeddingLayer::getRotaryEmbeddingDim,
                      &IRotaryEmbeddingLayer::setRotaryEmbeddingDim,
                      "int: number of elements of a head that are rotated; 0: all.")
        .def(
            "set_input", &IRotaryEmbeddingLayer::setInput, "index"_a, "tensor"_a,
            "Replaces the input (0), the cosines (1) or the sines (2), or sets the positions (3).");
    bindings.network.def("add_rotary_embedding", &INetworkDefinition::addRotaryEmbedding, "input"_a,
                         "cos_cache"_a, "sin_cache"_a, "interleaved"_a, "rotary_embedding_dim"_a,
                         kInternal,
                         "Adds a rotary position embedding; returns an IRotaryEmbeddingLayer.");
}

} // namespace kiln::python
