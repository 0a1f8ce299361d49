// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Reports which parts of a model can be imported, without changing the user's network.
#pragma once

#include "onnx/graph_importer.h"
#include "onnx/import_error.h"

#include <cstdint>
#include <vector>

namespace kiln::onnx {

// A run of neighbouring nodes that are all supported or all unsupported.
struct Subgraph {
    std::vector<int64_t> nodes;
    bool supported;
};

// Imports the model into a separate network. `report` gets the error of each node that cannot be
// imported. Throws ImportError for errors of the graph.
std::vector<Subgraph> reportSupport(NodeContext::Graph& target, ModelProto const& model,
                                    GraphImporter::Options options,
                                    GraphImporter::Report const& report);

} // namespace kiln::onnx
