// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "api/network.h"
#include "plugin/adapters.h"
#include "plugin/plugin_layer.h"

namespace kiln::api {
namespace {

using plugin::Ownership;
using plugin::PluginLayer;
using plugin::PluginOp;

class PluginV2Layer final : public LayerBase<nvinfer1::IPluginV2Layer, PluginLayer> {
public:
    using LayerBase::LayerBase;
    nvinfer1::IPluginV2& getPlugin() noexcept override {
        return *static_cast<nvinfer1::IPluginV2*>(op().plugin().object());
    }
};

class PluginV3Layer final : public LayerBase<nvinfer1::IPluginV3Layer, PluginLayer> {
public:
    using LayerBase::LayerBase;
    nvinfer1::IPluginV3& getPlugin() noexcept override {
        return *static_cast<nvinfer1::IPluginV3*>(op().plugin().object());
    }
};

/// Appends `count` tensors of a C array; throws kInvalidArgument for null pointers.
void append(std::vector<nvinfer1::ITensor*>& to, nvinfer1::ITensor* const* from, int32_t count,
            char const* what) {
    if (count < 0 || (count > 0 && from == nullptr)) {
        fail(ErrorKind::kInvalidArgument,
             "[network] {}: expected an array of inputs, got {} inputs"
             "{}.",
             what, count, from == nullptr ? " and a null array" : "");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (from[i] == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] {}: input {} is null. Pass a tensor of the network.", what, i);
        }
        to.push_back(from[i]);
    }
}

} // namespace

nvinfer1::IPluginV2Layer* NetworkDefinition::addPluginV2(nvinfer1::ITensor* const* inputs,
                                                         int32_t nbInputs,
                                                         nvinfer1::IPluginV2& plugin) noexcept {
    return reporter_.guard<nvinfer1::IPluginV2Layer*>(nullptr, [&] {
        std::vector<nvinfer1::ITensor*> tensors;
        append(tensors, inputs, nbInputs, "plugin layer");
        std::string name = fmt::format("(Unnamed Layer* {})", getNbLayers());
        std::unique_ptr<PluginOp> const given = plugin::adaptV2(plugin, Ownership::kBorrowed, name);
        // The API's layer name is the style without its I: "PluginV2Ext".
        name += fmt::format(" [{}]", nameOf(given->style()) + 1);
        given->setLayer(name);
        std::unique_ptr<PluginOp> own = given->clone();
        auto* const layer = addLayer<PluginV2Layer>(
            "plugin layer", std::make_unique<PluginLayer>(std::move(own), 0), tensors);
        if (layer != nullptr) {
            layer->setName(name.c_str());
        }
        return layer;
    });
}

nvinfer1::IPluginV3Layer* NetworkDefinition::addPluginV3(nvinfer1::ITensor* const* inputs,
                                                         int32_t nbInputs,
                                                         nvinfer1::ITensor* const* shapeInputs,
                                                         int32_t nbShapeInputs,
                                                         nvinfer1::IPluginV3& plugin) noexcept {
    return reporter_.guard<nvinfer1::IPluginV3Layer*>(nullptr, [&] {
        std::vector<nvinfer1::ITensor*> tensors;
        append(tensors, inputs, nbInputs, "plugin layer");
        append(tensors, shapeInputs, nbShapeInputs, "plugin layer, shape inputs");
        std::string const name = fmt::format("(Unnamed Layer* {}) [PluginV3]", getNbLayers());
        std::unique_ptr<PluginOp> own =
            plugin::adaptV3(plugin, Ownership::kBorrowed, name)->clone();
        auto* const layer = addLayer<PluginV3Layer>(
            "plugin layer", std::make_unique<PluginLayer>(std::move(own), nbShapeInputs), tensors);
        if (layer != nullptr) {
            layer->setName(name.c_str());
        }
        return layer;
    });
}

} // namespace kiln::api
