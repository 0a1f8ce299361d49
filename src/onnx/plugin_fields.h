// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Converts the attributes of a node to the PluginFields of a plugin creator.
#pragma once

#include "kiln/api/plugin_field.h"
#include "onnx/node_context.h"

#include <deque>
#include <string>
#include <vector>

namespace kiln::onnx {

// Fields and the memory they point to; valid as long as this object.
//
// An attribute gets the type that the creator lists for it, if no value changes (except by rounding
// to a narrower floating-point type). If kUNKNOWN is listed, it gets its natural type: INT(S)
// kINT64, FLOAT(S) kFLOAT32, STRING kCHAR, TENSOR the type of its elements.
class PluginFields {
public:
    // listed: the creator's getFieldNames(); may be null. Attributes that it does not list are not
    // passed. They cause a warning, except the `reserved` ones, which the parser itself reads.
    // Throws ImportError for an attribute that cannot be converted.
    PluginFields(NodeContext& context, nvinfer1::PluginFieldCollection const* listed,
                 std::vector<std::string> const& reserved);

    nvinfer1::PluginFieldCollection const& collection() const { return collection_; }

private:
    void add(NodeContext& context, AttributeProto const& attribute, nvinfer1::PluginFieldType type);
    void addTensor(NodeContext& context, AttributeProto const& attribute,
                   nvinfer1::PluginFieldType type);

    std::deque<std::vector<std::byte>> memory_; // a deque: elements never move
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_{};
};

} // namespace kiln::onnx
