// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// A complete IPluginV2DynamicExt as users write it against the original headers, with the
// using-declarations that are customary there. That it compiles is the main test.

#include "NvInfer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {

using namespace nvinfer1;

class ScalePlugin : public IPluginV2DynamicExt {
public:
    explicit ScalePlugin(float factor) : factor_(factor) {}
    ScalePlugin(void const* data, size_t length) {
        std::memcpy(&factor_, data, length < sizeof(factor_) ? length : sizeof(factor_));
    }
    ScalePlugin() = delete;

    IPluginV2DynamicExt* clone() const noexcept override {
        auto* plugin = new ScalePlugin(factor_);
        plugin->setPluginNamespace(namespace_.c_str());
        return plugin;
    }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t,
                                  IExprBuilder& builder) noexcept override {
        DimsExprs output(inputs[0]);
        output.d[0] =
            builder.operation(DimensionOperation::kPROD, *output.d[0], *builder.constant(2));
        return output;
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].type == DataType::kFLOAT && inOut[pos].format == PluginFormat::kLINEAR;
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {}
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return 64;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*,
                    void* const*, void*, cudaStream_t) noexcept override {
        return 0;
    }

    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override {
        return types[0];
    }
    void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept override {}
    void detachFromContext() noexcept override {}

    char const* getPluginType() const noexcept override { return "HeaderTestScale"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    size_t getSerializationSize() const noexcept override { return sizeof(factor_); }
    void serialize(void* buffer) const noexcept override {
        std::memcpy(buffer, &factor_, sizeof(factor_));
    }
    void destroy() noexcept override { delete this; }
    void setPluginNamespace(char const* space) noexcept override { namespace_ = space; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }

protected:
    using IPluginV2DynamicExt::canBroadcastInputAcrossBatch;
    using IPluginV2DynamicExt::configurePlugin;
    using IPluginV2DynamicExt::enqueue;
    using IPluginV2DynamicExt::getOutputDimensions;
    using IPluginV2DynamicExt::getWorkspaceSize;
    using IPluginV2DynamicExt::isOutputBroadcastAcrossBatch;
    using IPluginV2DynamicExt::supportsFormat;

private:
    float factor_{};
    std::string namespace_;
};

class ScaleCreator : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return "HeaderTestScale"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &names_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override {
        return new ScalePlugin(2.0F);
    }
    IPluginV2* deserializePlugin(char const*, void const* data, size_t length) noexcept override {
        return new ScalePlugin(data, length);
    }
    void setPluginNamespace(char const* space) noexcept override { namespace_ = space; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }

private:
    PluginField field_{"factor", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection names_{1, &field_};
    std::string namespace_;
};

REGISTER_TENSORRT_PLUGIN(ScaleCreator);

TEST(UserPluginV2DynamicExt, TellsItsGeneration) {
    ScalePlugin plugin(1.0F);
    IPluginV2& base = plugin;
    EXPECT_EQ(base.getTensorRTVersion() >> 24, static_cast<int32_t>(PluginVersion::kV2_DYNAMICEXT));
    EXPECT_EQ(base.getTensorRTVersion() & 0xFFFFFF, NV_TENSORRT_VERSION);
}

TEST(UserPluginV2DynamicExt, ReplacedMethodsAreClosed) {
    ScalePlugin plugin(1.0F);
    IPluginV2Ext& base = plugin;
    EXPECT_FALSE(base.supportsFormat(DataType::kFLOAT, PluginFormat::kLINEAR));
    EXPECT_EQ(base.getOutputDimensions(0, nullptr, 0).nbDims, -1);
    EXPECT_EQ(base.getWorkspaceSize(1), 0U);
    EXPECT_NE(base.enqueue(1, nullptr, nullptr, nullptr, nullptr), 0);
}

TEST(UserPluginV2DynamicExt, StaticRegistrationIsFound) {
    IPluginCreatorInterface* found = getPluginRegistry()->getCreator("HeaderTestScale", "1", "");
    ASSERT_NE(found, nullptr);
    EXPECT_STREQ(found->getInterfaceInfo().kind, "PLUGIN CREATOR_V1");
    EXPECT_EQ(found->getAPILanguage(), APILanguage::kCPP);
}

} // namespace
