// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// A complete IPluginV3 with both versions of its build part, as users write it against the original
// headers. That it compiles is the main test.

#include "NvInfer.h"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace nvinfer1;

template <typename Build>
class DoublePlugin : public IPluginV3,
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
    IPluginV3* clone() noexcept override { return new DoublePlugin(*this); }

    char const* getPluginName() const noexcept override { return "HeaderTestDouble"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }
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
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                          int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*,
                    void* const*, void*, cudaStream_t) noexcept override {
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields_; }

private:
    PluginFieldCollection fields_{0, nullptr};
};

class DoubleCreator : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*,
                            TensorRTPhase phase) noexcept override {
        if (phase == TensorRTPhase::kBUILD) {
            return new DoublePlugin<IPluginV3OneBuildV2>;
        }
        return new DoublePlugin<IPluginV3OneBuild>;
    }
    PluginFieldCollection const* getFieldNames() noexcept override { return &names_; }
    char const* getPluginName() const noexcept override { return "HeaderTestDouble"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginFieldCollection names_{};
};

REGISTER_TENSORRT_PLUGIN(DoubleCreator);

TEST(UserPluginV3, BuildPartTellsItsVersion) {
    DoubleCreator creator;
    std::unique_ptr<IPluginV3> first(creator.createPlugin("", nullptr, TensorRTPhase::kRUNTIME));
    std::unique_ptr<IPluginV3> second(creator.createPlugin("", nullptr, TensorRTPhase::kBUILD));
    EXPECT_STREQ(first->getInterfaceInfo().kind, "PLUGIN_V3");
    auto* build = first->getCapabilityInterface(PluginCapabilityType::kBUILD);
    EXPECT_STREQ(build->getInterfaceInfo().kind, "PLUGIN_V3ONE_BUILD");
    EXPECT_EQ(build->getInterfaceInfo().major, 1);
    build = second->getCapabilityInterface(PluginCapabilityType::kBUILD);
    EXPECT_EQ(build->getInterfaceInfo().major, 2);
    EXPECT_EQ(static_cast<IPluginV3OneBuildV2*>(build)->getAliasedInput(0), -1);
}

TEST(UserPluginV3, OptionalMethodsHaveDefaults) {
    DoublePlugin<IPluginV3OneBuild> plugin;
    EXPECT_EQ(plugin.getNbTactics(), 0);
    EXPECT_EQ(plugin.getWorkspaceSize(nullptr, 0, nullptr, 0), 0U);
    EXPECT_EQ(plugin.getTimingCacheID(), nullptr);
    EXPECT_EQ(plugin.getFormatCombinationLimit(), 100);
    EXPECT_EQ(plugin.getMetadataString(), nullptr);
    EXPECT_EQ(plugin.setTactic(0), 0);
}

TEST(UserPluginV3, StaticRegistrationIsFound) {
    IPluginCreatorInterface* found = getPluginRegistry()->getCreator("HeaderTestDouble", "1", "");
    ASSERT_NE(found, nullptr);
    EXPECT_STREQ(found->getInterfaceInfo().kind, "PLUGIN CREATOR_V3ONE");
}

} // namespace
