// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_layer.h"

namespace kiln::plugin {

PluginLayer::PluginLayer(std::unique_ptr<PluginOp> plugin, int32_t shapeInputCount)
    : plugin_(std::move(plugin)), shapeInputCount_(shapeInputCount),
      outputCount_(plugin_->outputCount()) {}

nvinfer1::LayerType PluginLayer::layerType() const {
    return plugin_->style() == PluginStyle::kV3 ? nvinfer1::LayerType::kPLUGIN_V3
                                                : nvinfer1::LayerType::kPLUGIN_V2;
}

void PluginLayer::infer(graph::InferContext& context) const {
    plugin_->setLayer(context.layer);
    std::vector<DataType> types;
    std::vector<graph::ShapeExpr> shapes;
    for (graph::TensorFacts const& input : context.inputs) {
        types.push_back(input.type);
        shapes.push_back(input.shape);
    }
    std::vector<DataType> outTypes(context.outputs.size());
    std::vector<graph::ShapeExpr> outShapes(context.outputs.size());
    std::size_t const plain = shapes.size() - static_cast<std::size_t>(shapeInputCount_);
    plugin_->outputTypes({types.data(), plain}, outTypes);
    std::span<graph::ShapeExpr const> const all(shapes);
    plugin_->outputShapes(all.first(plain), all.subspan(plain), context.pool, outShapes);
    for (std::size_t i = 0; i < context.outputs.size(); ++i) {
        context.outputs[i] = {outTypes[i], outShapes[i]};
    }
}

std::unique_ptr<graph::Op> PluginLayer::clone() const {
    return std::make_unique<PluginLayer>(plugin_->clone(), shapeInputCount_);
}

void PluginLayer::save(ByteWriter&) const {
    fail(ErrorKind::kInternal, "[plugin] layer '{}': a plugin is saved by its record.",
         plugin_->layer());
}

} // namespace kiln::plugin
