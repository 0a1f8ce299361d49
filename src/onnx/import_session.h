// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// What all graphs and functions of a model share while it is imported.
#pragma once

#include "onnx/import_error.h"
#include "onnx/node_context.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kiln::onnx {

// A function that is being imported, or the model itself.
struct Frame {
    NodeContext::Graph target; // with the operator set of the function
    FunctionProto const* function = nullptr;
    Frame const* caller = nullptr;
    std::map<std::string, AttributeProto const*, std::less<>> attributes; // of the call
};

struct ImportOptions {
    bool pluginsOverride = false;   // plugins replace operators of the same name
    bool nativeInstanceNorm = true; // they do not replace InstanceNormalization
    bool goesOn = false; // behind a node that fails, with what the model says of its outputs
};

class ImportSession {
public:
    ImportSession(ModelProto const& model, ImportOptions options);

    // The function that a node calls; null if the model has none of that name.
    FunctionProto const* functionOf(NodeProto const& node) const;

    // Counts a node of a function or of an inner graph, or as many as take the same memory.
    // ImportError once there are too many: a few functions that call each other twice stand for
    // millions of nodes.
    void countInner(size_t nodes = 1);
    size_t innerLeft() const { return innerLeft_; }

    // Gives a tensor the name of a value at `depth` unless a graph further out has named it.
    void name(nvinfer1::ITensor& tensor, std::string const& name, int32_t depth);

    // Whether a plugin replaces an importer of the same name.
    bool prefersPlugin(NodeProto const& node) const;

private:
    using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

    ImportOptions options_;
    std::map<Key, FunctionProto const*> functions_;
    size_t innerLeft_;
    std::unordered_map<nvinfer1::ITensor const*, int32_t> depths_;
};

} // namespace kiln::onnx
