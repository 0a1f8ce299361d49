// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/field_values.h"

#include <cstddef>

#include "base/error.h"
#include "base/text.h"

namespace kiln::plugin {

using nvinfer1::PluginFieldType;

namespace {

constexpr std::max_align_t kNothing{};

} // namespace

std::size_t elementBytes(PluginFieldType type) noexcept {
    switch (type) {
    case PluginFieldType::kFLOAT16:
    case PluginFieldType::kBF16:
    case PluginFieldType::kINT16: return 2;
    case PluginFieldType::kFLOAT32:
    case PluginFieldType::kINT32: return 4;
    case PluginFieldType::kFLOAT64:
    case PluginFieldType::kINT64: return 8;
    case PluginFieldType::kINT8:
    case PluginFieldType::kCHAR:
    case PluginFieldType::kFP8: return 1;
    case PluginFieldType::kDIMS: return sizeof(nvinfer1::Dims);
    case PluginFieldType::kINT4:
    case PluginFieldType::kFP4:
    case PluginFieldType::kUNKNOWN: break;
    }
    return 0;
}

std::vector<FieldValue> copyFields(nvinfer1::PluginFieldCollection const& collection) {
    if (collection.nbFields < 0 || (collection.nbFields > 0 && collection.fields == nullptr)) {
        fail(ErrorKind::kInvalidArgument, "expected a field collection of 0 or more fields, got {}",
             collection.nbFields);
    }
    std::vector<FieldValue> values;
    for (int32_t i = 0; i < collection.nbFields; ++i) {
        nvinfer1::PluginField const& field = collection.fields[i];
        std::string_view const name = orEmpty(field.name);
        auto const type = static_cast<int32_t>(field.type);
        if (type < 0 || type >= nvinfer1::EnumMax<PluginFieldType>()) {
            fail(ErrorKind::kInvalidArgument,
                 "field '{}': expected a member of PluginFieldType, got {}", name, type);
        }
        if (field.length < 0 || (field.length > 0 && field.data == nullptr)) {
            fail(ErrorKind::kInvalidArgument,
                 "field '{}': expected data and a length of 0 or more, got length {}{}", name,
                 field.length, field.data == nullptr ? " and no data" : "");
        }
        std::size_t bytes = static_cast<std::size_t>(field.length) * elementBytes(field.type);
        if (field.type == PluginFieldType::kINT4 || field.type == PluginFieldType::kFP4) {
            bytes = (static_cast<std::size_t>(field.length) + 1) / 2;
        } else if (field.type == PluginFieldType::kUNKNOWN) {
            bytes = static_cast<std::size_t>(field.length);
        }
        auto const* raw = static_cast<std::byte const*>(field.data);
        values.push_back({std::string(name), type, field.length, Bytes(raw, raw + bytes)});
    }
    return values;
}

FieldView::FieldView(std::vector<FieldValue> const& values) {
    for (FieldValue const& value : values) {
        // An empty field has an address too: plugins distinguish it from a field without data.
        void const* const data =
            value.data.empty() ? static_cast<void const*>(&kNothing) : value.data.data();
        fields_.emplace_back(value.name.c_str(), data, static_cast<PluginFieldType>(value.type),
                             value.length);
    }
    collection_.nbFields = static_cast<int32_t>(fields_.size());
    collection_.fields = fields_.data();
}

} // namespace kiln::plugin
