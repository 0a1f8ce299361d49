// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/layer_settings.h"

#include <algorithm>
#include <set>

#include "failure.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::LayerType;

constexpr char const* kOthers = "*";

bool isFloating(DataType type) {
    return type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kBF16;
}

/// Whether "*" is meant for a layer: one that computes on floating-point tensors.
bool computesFloats(nvinfer1::ILayer const& layer) {
    switch (layer.getType()) {
    case LayerType::kCONSTANT:
    case LayerType::kCAST:
    case LayerType::kQUANTIZE:
    case LayerType::kDEQUANTIZE:
    case LayerType::kPLUGIN_V2:
    case LayerType::kPLUGIN_V3: return false;
    default: break;
    }
    for (int32_t i = 0; i < layer.getNbOutputs(); ++i) {
        if (!isFloating(layer.getOutput(i)->getType())) {
            return false;
        }
    }
    return layer.getNbOutputs() > 0;
}

/// Calls set(layer, value) for the layers that an option names. Throws a Failure for other names.
template <typename Value, typename Set>
void forEachNamed(nvinfer1::INetworkDefinition const& network, char const* option,
                  ByLayer<Value> const& values, Set set) {
    std::set<std::string> unknown;
    for (auto const& [name, value] : values) {
        unknown.insert(name);
    }
    unknown.erase(kOthers);
    auto const others = values.find(kOthers);
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer& layer = *network.getLayer(i);
        auto const own = values.find(layer.getName());
        if (own != values.end()) {
            unknown.erase(own->first);
            set(layer, own->second);
        } else if (others != values.end() && computesFloats(layer)) {
            set(layer, others->second);
        }
    }
    if (!unknown.empty()) {
        fail("[build] {}: the network has no layer '{}'. --verbose lists the layers", option,
             *unknown.begin());
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

void setTypes(nvinfer1::INetworkDefinition const& network, LayerOptions const& options) {
    forEachNamed(network, "--layerPrecisions", options.precisions,
                 [](nvinfer1::ILayer& layer, DataType type) { layer.setPrecision(type); });
    forEachNamed(network, "--layerOutputTypes", options.outputTypes,
                 [](nvinfer1::ILayer& layer, std::vector<DataType> const& types) {
                     auto const count = static_cast<std::size_t>(layer.getNbOutputs());
                     if (types.size() != 1 && types.size() != count) {
                         fail("[build] --layerOutputTypes: expected 1 or {} types with '+' between "
                              "them for layer '{}', got {}",
                              count, layer.getName(), types.size());
                     }
                     for (std::size_t i = 0; i < count; ++i) {
                         layer.setOutputType(static_cast<int32_t>(i),
                                             types[types.size() == 1 ? 0 : i]);
                     }
                 });
}

#pragma GCC diagnostic pop

void setAttentions(nvinfer1::INetworkDefinition const& network,
                   std::vector<std::string> const& names) {
    ByLayer<bool> decomposable;
    for (std::string const& name : names) {
        decomposable[name] = true;
    }
    std::set<std::string> found;
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer* const layer = network.getLayer(i);
        if (layer->getType() != LayerType::kATTENTION_INPUT &&
            layer->getType() != LayerType::kATTENTION_OUTPUT) {
            continue;
        }
        nvinfer1::IAttention* const attention =
            static_cast<nvinfer1::IAttentionBoundaryLayer*>(layer)->getAttention();
        for (std::string const& name : {std::string(attention->getName()), std::string(kOthers)}) {
            if (decomposable.contains(name)) {
                found.insert(name);
                attention->setDecomposable(true);
            }
        }
    }
    for (std::string const& name : names) {
        if (name != kOthers && !found.contains(name)) {
            fail("[build] --decomposableAttentions: the network has no attention '{}'. --verbose "
                 "lists the layers",
                 name);
        }
    }
}

} // namespace

void setLayers(nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config,
               LayerOptions const& options, Logger& logger) {
    setTypes(network, options);
    forEachNamed(network, "--layerDeviceTypes", options.devices,
                 [&config](nvinfer1::ILayer& layer, nvinfer1::DeviceType device) {
                     config.setDeviceType(&layer, device);
                 });
    setAttentions(network, options.decomposableAttentions);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    switch (options.constraints) {
    case PrecisionConstraints::kObey:
        config.setFlag(nvinfer1::BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
        break;
    case PrecisionConstraints::kPrefer:
        config.setFlag(nvinfer1::BuilderFlag::kPREFER_PRECISION_CONSTRAINTS);
        break;
    case PrecisionConstraints::kNone:
        if (options.setsTypes()) {
            logger.warning("--layerPrecisions and --layerOutputTypes have no effect without "
                           "--precisionConstraints=prefer or obey");
        }
        break;
    }
#pragma GCC diagnostic pop
}

} // namespace kiln::trtexec
