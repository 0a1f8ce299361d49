// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/plugin_fields.h"

#include "onnx/field_conversion.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace kiln::onnx {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldCollection;
using nvinfer1::PluginFieldType;

PluginFields::PluginFields(NodeContext& context, PluginFieldCollection const* listed,
                           std::vector<std::string> const& reserved) {
    std::set<std::string_view> passed;
    for (int32_t i = 0; listed != nullptr && i < listed->nbFields; ++i) {
        PluginField const& field = listed->fields[i];
        AttributeProto const* const attribute =
            field.name != nullptr ? context.attributes().find(field.name) : nullptr;
        if (attribute != nullptr && passed.insert(attribute->name).second) {
            add(context, *attribute, field.type);
        }
    }
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
    for (AttributeProto const& attribute : context.node().attributes) {
        bool const isReserved =
            std::find(reserved.begin(), reserved.end(), attribute.name) != reserved.end();
        if (!isReserved && !passed.contains(attribute.name)) {
            context.log()(nvinfer1::ILogger::Severity::kWARNING, "node '", context.layerName(),
                          "' (", context.node().opType, "): attribute '", attribute.name,
                          "' is not passed to the plugin, whose creator does not list it among ",
                          "its fields");
        }
    }
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
    Constant const constant = readConstant(attribute.tensorValue(), context.tensors());
    PluginFieldType const natural = fieldTypeOf(constant.weights.type, attribute.name);
    if (type != PluginFieldType::kUNKNOWN && type != natural) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", attribute.name,
                               "': the plugin creator expects field type ", nameOf(type),
                               ", got a tensor of ", nameOf(natural), "."));
    }
    void const* const values = alignedElements(constant, context.tensors().store);
    fields_.emplace_back(attribute.name.c_str(), values, natural,
                         checkedLength(constant.weights.count, attribute.name));
}

} // namespace kiln::onnx
