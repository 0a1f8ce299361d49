// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Which parts of a model can be imported, found without changing the user's network.
#pragma once

#include "onnx/graph_importer.h"
#include "onnx/import_error.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kiln::onnx {

// A run of neighbouring nodes that are all supported, or all not.
struct Subgraph {
    std::vector<int64_t> nodes;
    bool supported;
};

// First asks for each node whether an importer or a plugin exists; if so for all, imports the model
// into a network of its own. `report` gets each error. Throws ImportError for faults of the graph.
std::vector<Subgraph> reportSupport(NodeContext::Graph& target, ModelProto const& model,
                                    GraphImporter::Options options,
                                    std::function<void(ImportError const&)> const& report);

} // namespace kiln::onnx
