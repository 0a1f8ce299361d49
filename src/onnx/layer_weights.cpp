// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/layer_weights.h"

#include "kiln/api/network/layers.h"

#include <kiln/kiln.h>

#include <string_view>
#include <unordered_map>

namespace kiln::onnx {

using nvinfer1::LayerType;
using nvinfer1::WeightsRole;

namespace {

// Adds weights that are there.
class Collector {
public:
    explicit Collector(std::vector<LayerWeights>& all) : all_(all) {}

    // The layers come in the order of the network.
    void startLayer(nvinfer1::ILayer const& layer) {
        layer_ = layer.getName();
        if (int32_t const number = ++counts_[layer_]; number > 1) {
            layer_ += text(" #", number);
        }
    }
    void add(WeightsRole role, nvinfer1::Weights const& weights) {
        if (weights.values != nullptr && weights.count > 0) {
            all_.push_back({layer_, role, weights});
        }
    }
    template <typename Layer>
    void addWindow(Layer& layer) {
        add(WeightsRole::kKERNEL, layer.getKernelWeights());
        add(WeightsRole::kBIAS, layer.getBiasWeights());
    }

private:
    std::vector<LayerWeights>& all_;
    std::string layer_;
    std::unordered_map<std::string, int32_t> counts_;
};

} // namespace

std::vector<LayerWeights> layerWeightsOf(nvinfer1::INetworkDefinition const& network) {
    std::vector<LayerWeights> all;
    Collector found(all);
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer& layer = *network.getLayer(i);
        found.startLayer(layer);
        switch (layer.getType()) {
        case LayerType::kCONSTANT:
            found.add(WeightsRole::kCONSTANT,
                      static_cast<nvinfer1::IConstantLayer&>(layer).getWeights());
            break;
        case LayerType::kCONVOLUTION:
            found.addWindow(static_cast<nvinfer1::IConvolutionLayer&>(layer));
            break;
        case LayerType::kDECONVOLUTION:
            found.addWindow(static_cast<nvinfer1::IDeconvolutionLayer&>(layer));
            break;
        case LayerType::kSCALE: {
            auto& scale = static_cast<nvinfer1::IScaleLayer&>(layer);
            found.add(WeightsRole::kSHIFT, scale.getShift());
            found.add(WeightsRole::kSCALE, scale.getScale());
            break;
        }
        default: break;
        }
    }
    return all;
}

void nameWeights(nvinfer1::INetworkDefinition& network, ModelImporter& importer,
                 GraphProto const& graph) {
    std::unordered_map<void const*, nvinfer1::Weights> open; // without a name
    for (LayerWeights const& own : layerWeightsOf(network)) {
        open.try_emplace(own.weights.values, own.weights);
    }
    auto const name = [&](std::string const& text) {
        Value const* const value = text.empty() ? nullptr : importer.find(text);
        if (value == nullptr || !value->isConstant) {
            return;
        }
        nvinfer1::Weights const& weights = value->constant.weights;
        auto const found = open.find(weights.values);
        if (found != open.end() && found->second.type == weights.type &&
            found->second.count == weights.count) {
            if (!network.setWeightsName(weights, text.c_str())) {
                // The logger has the reason. The weights keep the name that the layer gives them.
                static_cast<void>(kiln::takeLastError());
            }
            open.erase(found);
        }
    };
    for (TensorProto const& initializer : graph.initializers) {
        name(initializer.name);
    }
    for (NodeProto const& node : graph.nodes) {
        for (std::string const& output : node.outputs) {
            name(output);
        }
    }
}

} // namespace kiln::onnx
