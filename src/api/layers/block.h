// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What loops and conditionals share: objects of the network that are no layers.
#pragma once

#include <vector>

#include "api/layers/op_layer.h"
#include "base/text.h"

namespace kiln::api {

/// Implements the common part of ILoop and IIfConditional. The network owns it.
template <typename Interface>
class BlockBase : public Interface {
public:
    BlockBase(NetworkDefinition& network, int32_t part) : network_(network), part_(part) {}

    void setName(char const* name) noexcept override {
        network_.reporter().guard([&] {
            name_ = orEmpty(name);
            for (graph::Node* node : nodes_) {
                markOf(*node).blockName = name_;
            }
        });
    }
    char const* getName() const noexcept override { return name_.c_str(); }

protected:
    NetworkDefinition& network() const noexcept { return network_; }

    /// Adds a layer at the border, which refers to this block by its member `block`.
    template <typename Layer, typename Op>
    Layer* add(char const* kind, Op op, std::vector<nvinfer1::ITensor*> const& inputs) noexcept {
        return network_.reporter().template guard<Layer*>(nullptr, [&] {
            if (std::string const problem = op.problem(); !problem.empty()) {
                fail(ErrorKind::kInvalidArgument, "[network] {}: {}", kind, problem);
            }
            op.part = part_;
            op.blockName = name_;
            nodes_.reserve(nodes_.size() + 1);
            auto* const layer =
                network_.addLayer<Layer>(kind, std::make_unique<Op>(std::move(op)), inputs);
            if (layer != nullptr) {
                layer->block = this;
                nodes_.push_back(&layer->graphNode());
            }
            return layer;
        });
    }

private:
    static graph::BoundaryMark& markOf(graph::Node& node) {
        return dynamic_cast<graph::BoundaryMark&>(*node.op);
    }

    NetworkDefinition& network_;
    int32_t const part_;
    std::string name_;
    std::vector<graph::Node*> nodes_; ///< of its layers
};

/// Base of the layers at the border of a block.
template <typename Interface, typename OpType, typename BlockType>
class BorderLayer : public OpLayer<Interface, OpType> {
public:
    using OpLayer<Interface, OpType>::OpLayer;

    BlockType* block = nullptr; ///< never null once the layer has been added
    graph::Node& graphNode() const noexcept { return this->core().node(); }
};

} // namespace kiln::api
