// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins that double floats. If memory is exhausted, they return null for what they cannot make.
#pragma once

#include <cstring>
#include <new>

#include <NvInfer.h>

namespace kiln::test {

inline int64_t elements(nvinfer1::Dims const& dims) noexcept {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= dims.d[i];
    }
    return count;
}

inline void doubleAll(nvinfer1::Dims const& dims, void const* from, void* to) noexcept {
    for (int64_t i = 0; i < elements(dims); ++i) {
        static_cast<float*>(to)[i] = 2.0F * static_cast<float const*>(from)[i];
    }
}

inline bool isPlainFloat(nvinfer1::PluginTensorDesc const& desc) noexcept {
    return desc.type == nvinfer1::DataType::kFLOAT &&
           desc.format == nvinfer1::TensorFormat::kLINEAR;
}

class DoublingV2 final : public nvinfer1::IPluginV2DynamicExt {
public:
    char const* getPluginType() const noexcept override { return "ExhaustionDoublingV2"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    std::size_t getSerializationSize() const noexcept override { return 4; }
    void serialize(void* to) const noexcept override { std::memcpy(to, "V2__", 4); }
    void destroy() noexcept override { delete this; }
    nvinfer1::DataType getOutputDataType(int32_t, nvinfer1::DataType const* types,
                                         int32_t) const noexcept override {
        return types[0];
    }
    nvinfer1::IPluginV2DynamicExt* clone() const noexcept override {
        return new (std::nothrow) DoublingV2;
    }
    nvinfer1::DimsExprs getOutputDimensions(int32_t, nvinfer1::DimsExprs const* inputs, int32_t,
                                            nvinfer1::IExprBuilder& builder) noexcept override {
        nvinfer1::DimsExprs shape = inputs[0];
        shape.d[0] = builder.operation(nvinfer1::DimensionOperation::kPROD, *shape.d[0],
                                       *builder.constant(1));
        return shape;
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* io, int32_t,
                                   int32_t) noexcept override {
        return isPlainFloat(io[pos]);
    }
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                         nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {}
    std::size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const*, int32_t,
                                 nvinfer1::PluginTensorDesc const*,
                                 int32_t) const noexcept override {
        return 64;
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* in, nvinfer1::PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        doubleAll(in[0].dims, inputs[0], outputs[0]);
        return 0;
    }
};

class DoublingV3 final : public nvinfer1::IPluginV3,
                         public nvinfer1::IPluginV3OneCore,
                         public nvinfer1::IPluginV3OneBuild,
                         public nvinfer1::IPluginV3OneRuntime {
public:
    nvinfer1::IPluginCapability* getCapabilityInterface(
        nvinfer1::PluginCapabilityType type) noexcept override {
        switch (type) {
        case nvinfer1::PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case nvinfer1::PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        default: return static_cast<IPluginV3OneRuntime*>(this);
        }
    }
    nvinfer1::IPluginV3* clone() noexcept override { return new (std::nothrow) DoublingV3; }
    char const* getPluginName() const noexcept override { return "ExhaustionDoublingV3"; }
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
                            nvinfer1::IExprBuilder& builder) noexcept override {
        outputs[0] = inputs[0];
        outputs[0].d[0] = builder.operation(nvinfer1::DimensionOperation::kSUM, *inputs[0].d[0],
                                            *builder.constant(0));
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* io,
                                   int32_t, int32_t) noexcept override {
        return isPlainFloat(io[pos].desc);
    }
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                            nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t getNbTactics() noexcept override { return 2; }
    int32_t getValidTactics(int32_t* tactics, int32_t) noexcept override {
        tactics[0] = 1;
        tactics[1] = 2;
        return 0;
    }
    int32_t setTactic(int32_t) noexcept override { return 0; }
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const*, int32_t,
                          nvinfer1::PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* in, nvinfer1::PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        doubleAll(in[0].dims, inputs[0], outputs[0]);
        return 0;
    }
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext*) noexcept override {
        return clone();
    }
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return &fields_;
    }

private:
    static constexpr int32_t kFactor = 2;
    nvinfer1::PluginField field_{"factor", &kFactor, nvinfer1::PluginFieldType::kINT32, 1};
    nvinfer1::PluginFieldCollection fields_{1, &field_};
};

class DoublingV2Creator final : public nvinfer1::IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return "ExhaustionDoublingV2"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*,
                                      nvinfer1::PluginFieldCollection const*) noexcept override {
        return new (std::nothrow) DoublingV2;
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*,
                                           std::size_t) noexcept override {
        return new (std::nothrow) DoublingV2;
    }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

class DoublingV3Creator final : public nvinfer1::IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return "ExhaustionDoublingV3"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV3* createPlugin(char const*, nvinfer1::PluginFieldCollection const*,
                                      nvinfer1::TensorRTPhase) noexcept override {
        return new (std::nothrow) DoublingV3;
    }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
