// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The callbacks that the three IPluginV2 examples have in common, and their creator. These
// interfaces separate the batch from the shapes: enqueue() gets `batch` entries, each of the shape
// that the plugin was configured with.
#pragma once

#include <NvInfer.h>

#include <cstring>
#include <string>

namespace example {

using namespace nvinfer1;

inline int64_t elements(Dims const& dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= dims.d[i];
    }
    return count;
}

// `State` is a plain struct that the plan stores; `Self::kName` is the plugin's name.
template <typename Self, typename Base, typename State>
class PluginV2 : public Base {
public:
    char const* getPluginType() const noexcept override { return Self::kName; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    void setPluginNamespace(char const* name) noexcept override { namespace_ = name; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    void destroy() noexcept override { delete this; }
    Base* clone() const noexcept override { return new Self(static_cast<Self const&>(*this)); }
    size_t getWorkspaceSize(int32_t) const noexcept override { return 0; }
    size_t getSerializationSize() const noexcept override { return sizeof(State); }
    void serialize(void* buffer) const noexcept override {
        std::memcpy(buffer, &state, sizeof(State));
    }

    State state{};

private:
    std::string namespace_;
};

// createPlugin() reads one attribute, `Self::kAttribute` ("": none), into state.attribute.
template <typename Self>
class CreatorV2 : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return Self::kName; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    void setPluginNamespace(char const* name) noexcept override { namespace_ = name; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }

    IPluginV2* createPlugin(char const*, PluginFieldCollection const* given) noexcept override {
        auto* const plugin = new Self;
        for (int32_t i = 0; i < given->nbFields; ++i) {
            PluginField const& field = given->fields[i];
            if (std::strcmp(field.name, Self::kAttribute) == 0 &&
                field.type == PluginFieldType::kFLOAT32 && field.length == 1) {
                plugin->state.attribute = *static_cast<float const*>(field.data);
            }
        }
        return plugin;
    }

    // A plan is untrusted, so the length is checked.
    IPluginV2* deserializePlugin(char const*, void const* data, size_t size) noexcept override {
        auto* const plugin = new Self;
        if (size != sizeof(plugin->state)) {
            delete plugin;
            return nullptr;
        }
        std::memcpy(&plugin->state, data, size);
        return plugin;
    }

private:
    std::string namespace_;
    PluginField field_{Self::kAttribute, nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection fields_{*Self::kAttribute == '\0' ? 0 : 1, &field_};
};

} // namespace example
