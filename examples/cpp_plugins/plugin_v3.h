// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The callbacks that the IPluginV3 examples have in common, and their creator. Each example
// overrides the callbacks that it demonstrates.
#pragma once

#include <NvInfer.h>

namespace example {

using namespace nvinfer1;

inline int64_t elements(Dims const& dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= dims.d[i];
    }
    return count;
}

// One output with the type and shape of input 0; float and linear tensors; no attributes.
// `Self::kName` is the plugin's name.
template <typename Self, typename Build = IPluginV3OneBuild>
class PluginV3 : public IPluginV3,
                 public IPluginV3OneCore,
                 public Build,
                 public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<Build*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return new Self(static_cast<Self const&>(*this)); }

    char const* getPluginName() const noexcept override { return Self::kName; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes,
                               int32_t) const noexcept override {
        outputTypes[0] = inputTypes[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].desc.format == TensorFormat::kLINEAR &&
               inOut[pos].desc.type == DataType::kFLOAT;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                          int32_t) noexcept override {
        return 0;
    }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &noFields_; }

private:
    PluginFieldCollection noFields_{0, nullptr};
};

// Creates the same plugin in both phases: it reads nothing from a plan.
template <typename Self>
class CreatorV3 : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return Self::kName; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &noFields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*,
                            TensorRTPhase) noexcept override {
        return new Self;
    }

private:
    PluginFieldCollection noFields_{0, nullptr};
};

} // namespace example
