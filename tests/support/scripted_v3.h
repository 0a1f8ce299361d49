// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An IPluginV3 that does what a Script says, and its creator.
#pragma once

#include "support/script.h"

namespace kiln::test {

class ScriptedV3 final : public nvinfer1::IPluginV3,
                         public nvinfer1::IPluginV3OneCore,
                         public nvinfer1::IPluginV3OneBuild,
                         public nvinfer1::IPluginV3OneRuntime {
public:
    explicit ScriptedV3(Script& script) : script_(script) { ++script_.alive; }
    ScriptedV3(ScriptedV3 const& other) : ScriptedV3(other.script_) { inputs_ = other.inputs_; }
    ~ScriptedV3() noexcept override {
        script_.at("destroy");
        --script_.alive;
    }

    nvinfer1::IPluginCapability* getCapabilityInterface(
        nvinfer1::PluginCapabilityType type) noexcept override {
        using nvinfer1::PluginCapabilityType;
        if (script_.at("getCapabilityInterface")) {
            return nullptr;
        }
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<nvinfer1::IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<nvinfer1::IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME:
            return static_cast<nvinfer1::IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    nvinfer1::IPluginV3* clone() noexcept override {
        return script_.at("clone") ? nullptr : copy();
    }
    char const* getPluginName() const noexcept override { return script_.name.c_str(); }
    char const* getPluginVersion() const noexcept override { return script_.version.c_str(); }
    char const* getPluginNamespace() const noexcept override { return script_.space.c_str(); }

    int32_t getNbOutputs() const noexcept override { return script_.outputs; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputs, int32_t count,
                               nvinfer1::DataType const* inputs, int32_t) const noexcept override {
        for (int32_t i = 0; i < count; ++i) {
            outputs[i] = script_.type(i, inputs);
        }
        return script_.code("getOutputDataTypes");
    }
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t, nvinfer1::DimsExprs const*,
                            int32_t, nvinfer1::DimsExprs* outputs, int32_t count,
                            nvinfer1::IExprBuilder& builder) noexcept override {
        for (int32_t i = 0; i < count; ++i) {
            outputs[i] = script_.shape(i, inputs, builder);
        }
        return script_.code("getOutputShapes");
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* io,
                                   int32_t, int32_t) noexcept override {
        return !script_.at("supportsFormatCombination") && script_.takes(io[pos].desc, io[0].desc);
    }
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                            nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {
        return script_.code("configurePlugin");
    }
    std::size_t getWorkspaceSize(nvinfer1::DynamicPluginTensorDesc const* in, int32_t inputs,
                                 nvinfer1::DynamicPluginTensorDesc const* out,
                                 int32_t outputs) const noexcept override {
        script_.at("getWorkspaceSize");
        return script_.workspace(descsOf(in, inputs), descsOf(out, outputs));
    }
    int32_t getNbTactics() noexcept override { return script_.tactics; }
    int32_t getFormatCombinationLimit() noexcept override { return script_.combinationLimit; }

    int32_t setTactic(int32_t) noexcept override { return script_.code("setTactic"); }
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const*, int32_t inputs,
                          nvinfer1::PluginTensorDesc const*, int32_t) noexcept override {
        inputs_ = inputs;
        return script_.code("onShapeChange");
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
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext*) noexcept override {
        return script_.at("attachToContext") ? nullptr : copy();
    }
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        collection_ = {static_cast<int32_t>(script_.fields.size()), script_.fields.data()};
        return script_.at("getFieldsToSerialize") ? nullptr : &collection_;
    }

private:
    ScriptedV3* copy() { return script_.copiesItself ? new ScriptedV3(*this) : this; }

    Script& script_;
    int32_t inputs_ = 1;
    nvinfer1::PluginFieldCollection collection_{};
};

/// Registered as long as it exists.
class ScriptedV3Creator final : public nvinfer1::IPluginCreatorV3One {
public:
    explicit ScriptedV3Creator(Script& script) : script_(script) {
        getPluginRegistry()->registerCreator(*this, "");
    }
    ~ScriptedV3Creator() noexcept override { getPluginRegistry()->deregisterCreator(*this); }
    char const* getPluginName() const noexcept override { return script_.name.c_str(); }
    char const* getPluginVersion() const noexcept override { return script_.version.c_str(); }
    char const* getPluginNamespace() const noexcept override { return script_.space.c_str(); }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV3* createPlugin(char const*, nvinfer1::PluginFieldCollection const* fields,
                                      nvinfer1::TensorRTPhase) noexcept override {
        if (script_.at("createPlugin")) {
            return nullptr;
        }
        if (onCreate) {
            onCreate(*fields);
        }
        return new ScriptedV3(script_);
    }

    std::function<void(nvinfer1::PluginFieldCollection const&)> onCreate;

private:
    Script& script_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
