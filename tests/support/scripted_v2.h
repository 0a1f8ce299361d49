// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An IPluginV2DynamicExt that does what a Script says, and its creator.
#pragma once

#include "support/script.h"

namespace kiln::test {

class ScriptedV2 final : public nvinfer1::IPluginV2DynamicExt {
public:
    explicit ScriptedV2(Script& script) : script_(script) { ++script_.alive; }
    ScriptedV2(ScriptedV2 const& other) : script_(other.script_), inputs_(other.inputs_) {
        ++script_.alive;
    }
    ~ScriptedV2() noexcept override { --script_.alive; }

    char const* getPluginType() const noexcept override { return script_.name.c_str(); }
    char const* getPluginVersion() const noexcept override { return script_.version.c_str(); }
    char const* getPluginNamespace() const noexcept override { return script_.space.c_str(); }
    void setPluginNamespace(char const*) noexcept override {}
    int32_t getNbOutputs() const noexcept override { return script_.outputs; }
    int32_t initialize() noexcept override { return script_.code("initialize"); }
    void terminate() noexcept override { script_.at("terminate"); }
    std::size_t getSerializationSize() const noexcept override {
        return script_.at("getSerializationSize") ? SIZE_MAX : script_.blob.size();
    }
    void serialize(void* to) const noexcept override {
        script_.at("serialize");
        std::memcpy(to, script_.blob.data(), script_.blob.size());
    }
    void destroy() noexcept override {
        script_.at("destroy");
        delete this;
    }
    nvinfer1::DataType getOutputDataType(int32_t index, nvinfer1::DataType const* types,
                                         int32_t) const noexcept override {
        return script_.at("getOutputDataType") ? static_cast<nvinfer1::DataType>(77)
                                               : script_.type(index, types);
    }
    void attachToContext(cudnnContext*, cublasContext*,
                         nvinfer1::IGpuAllocator*) noexcept override {
        script_.at("attachToContext");
    }
    void detachFromContext() noexcept override { script_.at("detachFromContext"); }
    nvinfer1::IPluginV2DynamicExt* clone() const noexcept override {
        if (script_.at("clone")) {
            return nullptr;
        }
        return script_.copiesItself ? new ScriptedV2(*this) : const_cast<ScriptedV2*>(this);
    }
    nvinfer1::DimsExprs getOutputDimensions(int32_t index, nvinfer1::DimsExprs const* inputs,
                                            int32_t count,
                                            nvinfer1::IExprBuilder& builder) noexcept override {
        inputs_ = count;
        return script_.at("getOutputDimensions") ? nvinfer1::DimsExprs{-1, {}}
                                                 : script_.shape(index, inputs, builder);
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* io, int32_t,
                                   int32_t) noexcept override {
        return !script_.at("supportsFormatCombination") && script_.takes(io[pos], io[0]);
    }
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t inputs,
                         nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {
        inputs_ = inputs;
        script_.at("configurePlugin");
    }
    std::size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const* in, int32_t inputs,
                                 nvinfer1::PluginTensorDesc const* out,
                                 int32_t outputs) const noexcept override {
        script_.at("getWorkspaceSize");
        return script_.workspace(descsOf(in, inputs), descsOf(out, outputs));
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* in, nvinfer1::PluginTensorDesc const* out,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override {
        if (script_.at("enqueue")) {
            return 7;
        }
        return script_.work({descsOf(in, inputs_), descsOf(out, script_.outputs), inputs, outputs,
                             workspace, stream});
    }

private:
    Script& script_;
    int32_t inputs_ = 1;
};

/// Registered as long as it exists.
class ScriptedV2Creator final : public nvinfer1::IPluginCreator {
public:
    explicit ScriptedV2Creator(Script& script) : script_(script) {
        getPluginRegistry()->registerCreator(*static_cast<IPluginCreatorInterface*>(this), "");
    }
    ~ScriptedV2Creator() noexcept override {
        getPluginRegistry()->deregisterCreator(*static_cast<IPluginCreatorInterface*>(this));
    }
    char const* getPluginName() const noexcept override { return script_.name.c_str(); }
    char const* getPluginVersion() const noexcept override { return script_.version.c_str(); }
    char const* getPluginNamespace() const noexcept override { return script_.space.c_str(); }
    void setPluginNamespace(char const*) noexcept override {}
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*,
                                      nvinfer1::PluginFieldCollection const*) noexcept override {
        return new ScriptedV2(script_);
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const* data,
                                           std::size_t size) noexcept override {
        if (script_.at("deserializePlugin")) {
            return nullptr;
        }
        restored.assign(static_cast<char const*>(data), size);
        return new ScriptedV2(script_);
    }

    std::string restored; ///< the last blob that was deserialized

private:
    using IPluginCreatorInterface = nvinfer1::IPluginCreatorInterface;
    Script& script_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
