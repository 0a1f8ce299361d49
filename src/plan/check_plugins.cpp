// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/check.h"
#include "plugin/field_values.h"

namespace kiln::plan {
namespace {

using nvinfer1::PluginFieldType;

/// Checks that the data of a field has `length` elements, because plugins read that many.
bool isSound(plugin::FieldValue const& field) {
    if (field.type < 0 || field.type >= nvinfer1::EnumMax<PluginFieldType>() || field.length < 0) {
        return false;
    }
    auto const type = static_cast<PluginFieldType>(field.type);
    auto const length = static_cast<std::size_t>(field.length);
    if (type == PluginFieldType::kINT4 || type == PluginFieldType::kFP4) {
        return field.data.size() == (length + 1) / 2;
    }
    bool const untyped = type == PluginFieldType::kUNKNOWN;
    return field.data.size() == length * (untyped ? 1 : plugin::elementBytes(type));
}

} // namespace

void checkPlugins(Document const& document, ErrorKind kind) {
    for (plugin::PluginRecord const& record : document.plugins) {
        bool const known = record.style <= plugin::PluginStyle::kQuickAot;
        bool const mixed =
            plugin::isV3(record.style) ? !record.blob.empty() : !record.fields.empty();
        if (!known || mixed || record.id.name.empty()) {
            fail(kind,
                 "[plan] plugin '{}' of layer '{}': expected a name, a known style and its kind of "
                 "state, got style {}, {} bytes and {} fields. Build the plan again.",
                 record.id.name, record.layer, static_cast<int32_t>(record.style),
                 record.blob.size(), record.fields.size());
        }
        for (plugin::FieldValue const& field : record.fields) {
            if (!isSound(field)) {
                fail(kind,
                     "[plan] plugin '{}' of layer '{}', field '{}': expected a known type and the "
                     "bytes of its elements, got type {}, {} elements, {} bytes. Build the plan "
                     "again.",
                     record.id.name, record.layer, field.name, field.type, field.length,
                     field.data.size());
            }
        }
    }
}

} // namespace kiln::plan
