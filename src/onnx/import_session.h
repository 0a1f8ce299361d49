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

class ImportSession {
public:
    ImportSession(ModelProto const& model, bool pluginsOverride);

    // The function that a node calls; null if the model has none of that name.
    FunctionProto const* functionOf(NodeProto const& node) const;

    // Counts a node of a function or of an inner graph. ImportError once there are too many: a few
    // functions that call each other twice stand for millions of nodes.
    void countInner();
    size_t innerLeft() const { return innerLeft_; }

    // Gives a tensor the name of a value at `depth` unless a graph further out has named it.
    void name(nvinfer1::ITensor& tensor, std::string const& name, int32_t depth);

    bool const pluginsOverride;

private:
    using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

    std::map<Key, FunctionProto const*> functions_;
    size_t innerLeft_;
    std::unordered_map<nvinfer1::ITensor const*, int32_t> depths_;
};

} // namespace kiln::onnx
