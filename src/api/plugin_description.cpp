// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plugin_description.h"

#include <cstring>

#include <NvInferRuntime.h>
#include <fmt/format.h>

namespace kiln::api {
namespace {

using nvinfer1::PluginFieldType;

template <typename T>
Json numbers(plugin::FieldValue const& field) {
    std::vector<T> values(field.data.size() / sizeof(T));
    if (!values.empty()) {
        std::memcpy(values.data(), field.data.data(), values.size() * sizeof(T));
    }
    return values.size() == 1 ? Json(values.front()) : Json(values);
}

Json valueOf(plugin::FieldValue const& field) {
    switch (static_cast<PluginFieldType>(field.type)) {
    case PluginFieldType::kFLOAT32: return numbers<float>(field);
    case PluginFieldType::kFLOAT64: return numbers<double>(field);
    case PluginFieldType::kINT8: return numbers<int8_t>(field);
    case PluginFieldType::kINT16: return numbers<int16_t>(field);
    case PluginFieldType::kINT32: return numbers<int32_t>(field);
    case PluginFieldType::kINT64: return numbers<int64_t>(field);
    case PluginFieldType::kCHAR: {
        std::string text(reinterpret_cast<char const*>(field.data.data()), field.data.size());
        return text.substr(0, text.find('\0'));
    }
    default: return fmt::format("{} bytes", field.data.size());
    }
}

char const* nameOf(CodeKind kind) {
    switch (kind) {
    case CodeKind::kPtx: return "PTX";
    case CodeKind::kCubin: return "cubin";
    case CodeKind::kHostObject: return "shared object";
    }
    return "unknown";
}

Json describe(plugin::AotKernel const& kernel) {
    Json scalars = Json::array();
    for (plugin::CodeScalar const& scalar : kernel.scalars) {
        scalars.push_back(kiln::nameOf(scalar.type));
    }
    Json images = Json::array();
    for (plugin::CodeImage const& image : kernel.images) {
        Json entry = Json::object("kind", nameOf(image.kind), "architecture", image.architecture,
                                  "bytes", image.bytes.size());
        if (image.ptxVersion != 0) {
            entry["ptx_version"] =
                fmt::format("{}.{}", image.ptxVersion / 10, image.ptxVersion % 10);
        }
        images.push_back(std::move(entry));
    }
    return Json::object("entry", kernel.entry, "scalar_arguments", std::move(scalars), "images",
                        std::move(images));
}

} // namespace

Json attributesOf(plugin::PluginRecord const& record) {
    Json attributes = Json::object();
    for (plugin::FieldValue const& field : record.fields) {
        attributes[field.name] = valueOf(field);
    }
    return attributes;
}

Json codeOf(plugin::PluginRecord const& record) {
    Json code = Json::array();
    for (plugin::AotVariant const& variant : record.code) {
        Json kernels = Json::array();
        for (plugin::AotKernel const& kernel : variant.kernels) {
            kernels.push_back(describe(kernel));
        }
        code.push_back(Json::object("target", variant.target, "architecture", variant.architecture,
                                    "kernels", std::move(kernels)));
    }
    return code;
}

} // namespace kiln::api
