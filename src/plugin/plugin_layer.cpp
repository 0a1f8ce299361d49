// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_layer.h"

#include "graph/real_values.h"

namespace kiln::plugin {

PluginLayer::PluginLayer(std::unique_ptr<PluginOp> plugin, int32_t shapeInputCount)
    : plugin_(std::move(plugin)), shapeInputCount_(shapeInputCount),
      outputCount_(plugin_->outputCount()) {}

nvinfer1::LayerType PluginLayer::layerType() const {
    return isV3(plugin_->style()) ? nvinfer1::LayerType::kPLUGIN_V3
                                  : nvinfer1::LayerType::kPLUGIN_V2;
}

std::vector<graph::ShapeValues> PluginLayer::shapeValues(
    std::span<graph::TensorFacts const> inputs) const {
    std::vector<graph::ShapeValues> values;
    for (graph::TensorFacts const& input : inputs) {
        if (!graph::hasHostValues(input)) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] layer '{}', plugin {}, shape input {}: expected a tensor of int32, "
                 "int64 or bool whose values follow from shapes, constants and network inputs of "
                 "rank 0 or 1, got one of {}. Compute it with shape, gather, slice, concatenation, "
                 "reduce, select, unary, elementwise, cast or identity layers.",
                 plugin_->layer(), plugin_->id().text(), values.size(), kiln::nameOf(input.type));
        }
        values.push_back(*input.values);
    }
    return values;
}

void PluginLayer::infer(graph::InferContext& context) const {
    plugin_->setLayer(context.layer);
    std::size_t const plain = context.inputs.size() - static_cast<std::size_t>(shapeInputCount_);
    std::vector<DataType> types;
    std::vector<int32_t> ranks;
    std::vector<graph::ShapeExpr> shapes;
    for (graph::TensorFacts const& input : context.inputs.first(plain)) {
        types.push_back(input.type);
        ranks.push_back(input.shape.rank);
        shapes.push_back(input.shape);
    }
    std::vector<DataType> outTypes(context.outputs.size());
    std::vector<graph::ShapeExpr> outShapes(context.outputs.size());
    plugin_->outputTypes(types, ranks, outTypes);
    plugin_->outputShapes(shapes, shapeValues(context.inputs.subspan(plain)), context.pool,
                          outShapes, sizeTensors_);
    for (SizeTensor const& size : sizeTensors_) {
        auto const index = static_cast<std::size_t>(size.output);
        bool const integral =
            outTypes[index] == DataType::kINT32 || outTypes[index] == DataType::kINT64;
        if (!integral || outShapes[index].rank != 0) {
            fail(
                ErrorKind::kPlugin,
                "[plugin] layer '{}', plugin {}, size tensor (output {}): expected a 0-D tensor of "
                "int32 or int64, got {} dimensions of {}. Give that output no dimensions and type "
                "int64.",
                plugin_->layer(), plugin_->id().text(), size.output, outShapes[index].rank,
                kiln::nameOf(outTypes[index]));
        }
    }
    for (std::size_t i = 0; i < context.outputs.size(); ++i) {
        context.outputs[i] = {outTypes[i], outShapes[i]};
    }
}

std::unique_ptr<graph::Op> PluginLayer::clone() const {
    auto copy = std::make_unique<PluginLayer>(plugin_->clone(), shapeInputCount_);
    copy->sizeTensors_ = sizeTensors_; // later layers refer to its sizes by these numbers
    return copy;
}

void PluginLayer::save(ByteWriter&) const {
    fail(ErrorKind::kInternal,
         "[plugin] layer '{}': expected a plugin to be saved by its record. Report this as a "
         "defect of Kiln.",
         plugin_->layer());
}

} // namespace kiln::plugin
