// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/plugin_fields.h"

#include "onnx/field_conversion.h"

#include <algorithm>
#include <cstring>

namespace kiln::onnx {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldCollection;
using nvinfer1::PluginFieldType;

namespace {

// The creator's type for an attribute; kUNKNOWN where it lists none.
PluginFieldType listedType(PluginFieldCollection const* listed, std::string const& name) {
    for (int32_t i = 0; listed != nullptr && i < listed->nbFields; ++i) {
        PluginField const& field = listed->fields[i];
        if (field.name != nullptr && name == field.name) {
            return field.type;
        }
    }
    return PluginFieldType::kUNKNOWN;
}

} // namespace

PluginFields::PluginFields(NodeContext& context, PluginFieldCollection const* listed,
                           std::vector<std::string> const& reserved) {
    for (AttributeProto const& attribute : context.node().attributes) {
        context.attributes().find(attribute.name);
        if (std::find(reserved.begin(), reserved.end(), attribute.name) == reserved.end()) {
            add(context, attribute, listedType(listed, attribute.name));
        }
    }
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
}

void PluginFields::add(NodeContext& context, AttributeProto const& attribute,
                       PluginFieldType type) {
    if (attribute.type == AttributeType::kTensor) {
        addTensor(context, attribute, type);
        return;
    }
    FieldData data = convertAttribute(attribute, type);
    memory_.push_back(std::move(data.bytes));
    fields_.emplace_back(attribute.name.c_str(), memory_.back().data(), data.type, data.length);
}

// A tensor keeps the type of its elements: the creator reads its bytes.
void PluginFields::addTensor(NodeContext& context, AttributeProto const& attribute,
                             PluginFieldType type) {
    Constant const constant = readConstant(attribute.tensorValue, context.tensors());
    PluginFieldType const natural = fieldTypeOf(constant.weights.type, attribute.name);
    if (type != PluginFieldType::kUNKNOWN && type != natural) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", attribute.name,
                               "': the plugin creator expects field type ", nameOf(type),
                               ", got a tensor of ", nameOf(natural), "."));
    }
    fields_.emplace_back(attribute.name.c_str(), constant.weights.values, natural,
                         checkedLength(constant.weights.count, attribute.name));
}

} // namespace kiln::onnx
