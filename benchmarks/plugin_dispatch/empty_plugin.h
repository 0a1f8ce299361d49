// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An IPluginV3 whose enqueue only counts, so that a call costs only the engine's overhead.
#pragma once

#include <NvInfer.h>

class EmptyPlugin final : public nvinfer1::IPluginV3,
                          public nvinfer1::IPluginV3OneCore,
                          public nvinfer1::IPluginV3OneBuild,
                          public nvinfer1::IPluginV3OneRuntime {
public:
    static inline int64_t calls = 0;

    nvinfer1::IPluginCapability* getCapabilityInterface(
        nvinfer1::PluginCapabilityType type) noexcept override {
        switch (type) {
        case nvinfer1::PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case nvinfer1::PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        default: return static_cast<IPluginV3OneRuntime*>(this);
        }
    }
    IPluginV3* clone() noexcept override { return new EmptyPlugin; }
    char const* getPluginName() const noexcept override { return "Empty"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputs, int32_t,
                               nvinfer1::DataType const* inputs, int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t, nvinfer1::DimsExprs const*,
                            int32_t, nvinfer1::DimsExprs* outputs, int32_t,
                            nvinfer1::IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut,
                                   int32_t, int32_t) noexcept override {
        return inOut[pos].desc.type == nvinfer1::DataType::kFLOAT;
    }
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                            nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const*, int32_t,
                          nvinfer1::PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const*, nvinfer1::PluginTensorDesc const*,
                    void const* const*, void* const*, void*, cudaStream_t) noexcept override {
        ++calls;
        return 0;
    }
    IPluginV3* attachToContext(nvinfer1::IPluginResourceContext*) noexcept override {
        return new EmptyPlugin;
    }
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return &fields_;
    }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

class EmptyCreator final : public nvinfer1::IPluginCreatorV3One {
public:
    nvinfer1::IPluginV3* createPlugin(char const*, nvinfer1::PluginFieldCollection const*,
                                      nvinfer1::TensorRTPhase) noexcept override {
        return new EmptyPlugin;
    }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    char const* getPluginName() const noexcept override { return "Empty"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};
