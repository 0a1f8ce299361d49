// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// What the importers of nodes with graphs (If, Loop, Scan) need of the graph around the node.
#pragma once

#include "onnx/proto/messages.h"
#include "onnx/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

class Surroundings {
public:
    // Imports the nodes of an inner graph, which also sees the values around it. inputs: the values
    // of the graph's inputs. Returns those of its outputs. `label` begins the names of its layers.
    virtual std::vector<Value> importGraph(GraphProto const& graph,
                                           std::vector<Value> const& inputs,
                                           std::string const& label) = 0;

    // The name of a value for the network, where each name of the model may stand for many values.
    virtual std::string fullName(std::string_view name) const = 0;

    // Nodes that may still be imported more than once.
    virtual size_t nodesLeft() const = 0;

protected:
    ~Surroundings() = default;
};

} // namespace kiln::onnx
