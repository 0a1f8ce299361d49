// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Reports which parts of a model can be imported, without changing the user's network.
#pragma once

#include "onnx/import_error.h"
#include "onnx/model_importer.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kiln::onnx {

// A run of neighbouring nodes that are all supported or all unsupported.
struct Subgraph {
    std::vector<int64_t> nodes;
    bool supported;
};

// Imports the model into a separate network, and then each supported part of it as a graph of its
// own. `report` gets the error of each node that cannot be imported. Throws ImportError for errors
// of the graph.
std::vector<Subgraph> reportSupport(NodeContext::Graph const& target, ModelProto const& model,
                                    ModelImporter::Options options,
                                    std::function<void(ImportError const&)> const& report);

} // namespace kiln::onnx
