// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The weights of a network's layers, and names for them: those of the model.
#pragma once

#include "kiln/api/network/network_definition.h"
#include "onnx/model_importer.h"

#include <string>
#include <vector>

namespace kiln::onnx {

struct LayerWeights {
    std::string layer; // its name; of several layers with one name, the second is "name #2"
    nvinfer1::WeightsRole role;
    nvinfer1::Weights weights;
};

// Of all layers, without those that have none. Layers that take weights as inputs have none.
std::vector<LayerWeights> layerWeightsOf(nvinfer1::INetworkDefinition const& network);

// Gives weights the names of the initializers that they are, and of the outputs of Constant nodes.
// Weights of two names get the first one.
void nameWeights(nvinfer1::INetworkDefinition& network, ModelImporter& importer,
                 GraphProto const& graph);

} // namespace kiln::onnx
