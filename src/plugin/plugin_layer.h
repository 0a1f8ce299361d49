// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "graph/op.h"
#include "plugin/plugin_op.h"

namespace kiln::plugin {

/// A plugin as a layer of the network: one graph op for all plugin styles.
class PluginLayer final : public graph::Op {
public:
    /// The last `shapeInputCount` inputs of the layer are shape inputs.
    PluginLayer(std::unique_ptr<PluginOp> plugin, int32_t shapeInputCount);

    static constexpr std::string_view kKind = "Plugin";
    std::string_view kind() const override { return kKind; }
    nvinfer1::LayerType layerType() const override;
    int32_t outputCount() const override { return outputCount_; }
    void infer(graph::InferContext& context) const override;
    std::unique_ptr<graph::Op> clone() const override;
    /// Throws kInternal: plugins are saved as PluginRecord, not by parameters.
    void save(ByteWriter& writer) const override;

    PluginOp& plugin() const noexcept { return *plugin_; }
    int32_t shapeInputCount() const noexcept { return shapeInputCount_; }
    /// The size tensors that the plugin declared in the last infer().
    std::vector<SizeTensor> const& sizeTensors() const noexcept { return sizeTensors_; }

private:
    std::vector<graph::ShapeValues> shapeValues(std::span<graph::TensorFacts const> inputs) const;

    std::unique_ptr<PluginOp> plugin_;
    int32_t shapeInputCount_;
    int32_t outputCount_;
    mutable std::vector<SizeTensor> sizeTensors_;
};

} // namespace kiln::plugin
