// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Creators that only have names, which is all that the registry needs.
#pragma once

#include <string>

#include <NvInferRuntime.h>

namespace kiln::test {

class EmptyV3Creator : public nvinfer1::IPluginCreatorV3One {
public:
    explicit EmptyV3Creator(std::string name, std::string version = "1", std::string space = "")
        : name_(std::move(name)), version_(std::move(version)), space_(std::move(space)) {}
    char const* getPluginName() const noexcept override { return name_.c_str(); }
    char const* getPluginVersion() const noexcept override { return version_.c_str(); }
    char const* getPluginNamespace() const noexcept override { return space_.c_str(); }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV3* createPlugin(char const*, nvinfer1::PluginFieldCollection const*,
                                      nvinfer1::TensorRTPhase) noexcept override {
        return nullptr;
    }

private:
    std::string name_;
    std::string version_;
    std::string space_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

class EmptyV2Creator : public nvinfer1::IPluginCreator {
public:
    explicit EmptyV2Creator(std::string name, std::string version = "1", std::string space = "")
        : name_(std::move(name)), version_(std::move(version)), space_(std::move(space)) {}
    char const* getPluginName() const noexcept override { return name_.c_str(); }
    char const* getPluginVersion() const noexcept override { return version_.c_str(); }
    char const* getPluginNamespace() const noexcept override { return space_.c_str(); }
    void setPluginNamespace(char const* space) noexcept override { space_ = space; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*,
                                      nvinfer1::PluginFieldCollection const*) noexcept override {
        return nullptr;
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*,
                                           std::size_t) noexcept override {
        return nullptr;
    }

private:
    std::string name_;
    std::string version_;
    std::string space_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
