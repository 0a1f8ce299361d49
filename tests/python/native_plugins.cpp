// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin of each interface, for calls from Python: one input, and one output of twice its values.
#include <NvInferRuntime.h>

#include <cstddef>
#include <string>

using namespace nvinfer1;

namespace {

// What the last calls passed, for tests to read with ctypes.
struct Seen {
    int32_t configured = 0;
    int32_t initialized = 0;
    int32_t attached = 0;
    void* allocator = nullptr;
} seen;

/// The methods that all plugins of the second generation share.
template <typename Base>
class Common : public Base {
public:
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override {
        ++seen.initialized;
        return 0;
    }
    void terminate() noexcept override { --seen.initialized; }
    size_t getSerializationSize() const noexcept override { return 1; }
    void serialize(void* buffer) const noexcept override { *static_cast<char*>(buffer) = 'x'; }
    void destroy() noexcept override { delete this; }
    void setPluginNamespace(char const* space) noexcept override { space_ = space; }
    char const* getPluginNamespace() const noexcept override { return space_.c_str(); }

private:
    std::string space_;
};

/// Gets the batch as a separate number.
template <typename Base>
class Twice : public Common<Base> {
public:
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) noexcept override {
        return inputs[0];
    }
    bool supportsFormat(DataType type, PluginFormat format) const noexcept override {
        return type == DataType::kFLOAT && format == PluginFormat::kLINEAR;
    }
    size_t getWorkspaceSize(int32_t maxBatchSize) const noexcept override {
        return static_cast<size_t>(maxBatchSize) * 16;
    }
    int32_t enqueue(int32_t batchSize, void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* in = static_cast<float const*>(inputs[0]);
        auto* out = static_cast<float*>(outputs[0]);
        for (int32_t i = 0; i < batchSize * extent_; ++i) {
            out[i] = 2 * in[i];
        }
        return 0;
    }

protected:
    void keep(Dims const& dims, int32_t maxBatchSize) noexcept {
        extent_ = 1;
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            extent_ *= static_cast<int32_t>(dims.d[i]);
        }
        seen.configured = maxBatchSize;
    }
    int32_t extent_ = 1;
};

class TwiceV2 final : public Twice<IPluginV2> {
public:
    char const* getPluginType() const noexcept override { return "TwiceV2"; }
    void configureWithFormat(Dims const* inputs, int32_t, Dims const*, int32_t, DataType,
                             PluginFormat, int32_t maxBatchSize) noexcept override {
        keep(inputs[0], maxBatchSize);
    }
    IPluginV2* clone() const noexcept override { return new TwiceV2(*this); }
};

class TwiceExt final : public Twice<IPluginV2Ext> {
public:
    char const* getPluginType() const noexcept override { return "TwiceExt"; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override {
        return types[0];
    }
    void configurePlugin(Dims const* inputs, int32_t, Dims const*, int32_t, DataType const*,
                         DataType const*, bool const* in, bool const* out, PluginFormat,
                         int32_t maxBatchSize) noexcept override {
        keep(inputs[0], in[0] || !out[0] ? -1 : maxBatchSize);
    }
    void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator* a) noexcept override {
        ++seen.attached;
        seen.allocator = a;
    }
    void detachFromContext() noexcept override { --seen.attached; }
    IPluginV2Ext* clone() const noexcept override { return new TwiceExt(*this); }
};

class TwiceDynamic final : public Common<IPluginV2DynamicExt> {
public:
    char const* getPluginType() const noexcept override { return "TwiceDynamic"; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override {
        return types[0];
    }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t,
                                  IExprBuilder&) noexcept override {
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t at, PluginTensorDesc const* descs, int32_t,
                                   int32_t) noexcept override {
        return descs[at].type == DataType::kFLOAT && descs[at].format == TensorFormat::kLINEAR;
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {}
    size_t getWorkspaceSize(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return static_cast<size_t>(in[0].dims.d[0]);
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*,
                    void* const*, void*, cudaStream_t) noexcept override {
        return 0;
    }
    IPluginV2DynamicExt* clone() const noexcept override { return new TwiceDynamic(*this); }
};

class TwiceV3 final : public IPluginV3,
                      public IPluginV3OneCore,
                      public IPluginV3OneBuildV2,
                      public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return new TwiceV3(*this); }

    char const* getPluginName() const noexcept override { return "TwiceV3"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "native"; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getFormatCombinationLimit() noexcept override { return 5; }
    char const* getTimingCacheID() noexcept override { return "cache id"; }
    int32_t getNbTactics() noexcept override { return 2; }
    int32_t getValidTactics(int32_t* tactics, int32_t) noexcept override {
        tactics[0] = 3;
        tactics[1] = 4;
        return 0;
    }
    int32_t getAliasedInput(int32_t) noexcept override { return 0; }
    int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs,
                               int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t at, DynamicPluginTensorDesc const* descs, int32_t,
                                   int32_t) noexcept override {
        return descs[at].desc.type == DataType::kFLOAT &&
               descs[at].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }

    int32_t setTactic(int32_t) noexcept override { return 0; }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                          int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*,
                    void* const*, void*, cudaStream_t) noexcept override {
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        field_ = {"two", &two_, PluginFieldType::kINT32, 1};
        fields_ = {1, &field_};
        return &fields_;
    }

private:
    int32_t two_ = 2;
    PluginField field_;
    PluginFieldCollection fields_{};
};

class CreatorV3 final : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return "TwiceV3"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "native"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*,
                            TensorRTPhase) noexcept override {
        return new TwiceV3;
    }

private:
    PluginFieldCollection fields_{0, nullptr};
};

template <typename Plugin>
class Creator final : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return Plugin().getPluginType(); }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override {
        return new Plugin;
    }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override {
        return new Plugin;
    }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginFieldCollection fields_{0, nullptr};
};

Creator<TwiceV2> creatorV2;
Creator<TwiceExt> creatorExt;
Creator<TwiceDynamic> creatorDynamic;
CreatorV3 creatorV3;
IPluginCreatorInterface* creators[] = {&creatorV2, &creatorExt, &creatorDynamic, &creatorV3};

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED Seen* seenByPlugins() {
    return &seen;
}
EXPORTED IPluginCreatorInterface* const* getCreators(int32_t& count) {
    count = 4;
    return creators;
}
