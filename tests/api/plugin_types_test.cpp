// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which element types a plugin is given, in weakly and in strongly typed networks.
#include <chrono>
#include <optional>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

constexpr uint32_t kStronglyTyped =
    1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);

class PluginTypes : public testing::TestWithParam<Style> {
protected:
    PluginTypes() {
        script.work = [this](Call const& call) {
            seenIn.insert(call.in[0].type);
            seenOut.insert(call.out[0].type);
            std::memcpy(call.outputs[0], call.inputs[0], bytesOf(call.out[0]));
            if (call.in[0].type == slow) {
                std::this_thread::sleep_for(std::chrono::microseconds(300));
            }
            return 0;
        };
    }
    void take(std::set<DataType> const& types) {
        script.takes = [types](auto const& desc, auto const& first) {
            return types.count(desc.type) != 0 && desc.type == first.type &&
                   desc.format == TensorFormat::kLINEAR;
        };
    }

    /// x -> plugin -> ReLU -> y with inputs and outputs of type `type`, built and run.
    std::string run(uint32_t flags, bool half, DataType type = DataType::kFLOAT) {
        Session session(flags);
        if (half) {
            session.config->setFlag(narrow == DataType::kHALF ? BuilderFlag::kFP16
                                                              : BuilderFlag::kBF16);
        }
        std::unique_ptr<ScriptedV2Creator> v2;
        std::unique_ptr<ScriptedV3Creator> v3;
        if (GetParam() == Style::kV2) {
            v2 = std::make_unique<ScriptedV2Creator>(script);
        } else {
            v3 = std::make_unique<ScriptedV3Creator>(script);
        }
        ITensor& x = session.input("x", {3}, type);
        ILayer* const layer = addScripted(*session.network, script, GetParam(), {&x});
        layer->setName("custom");
        IActivationLayer* const relu =
            session.network->addActivation(*layer->getOutput(0), ActivationType::kRELU);
        session.output(*relu->getOutput(0), "y");
        std::unique_ptr<IHostMemory> const plan = session.build();
        if (plan == nullptr) {
            return session.log.errors();
        }
        Running running(session.log, *plan);
        EXPECT_EQ(running.engine->getTensorDataType("x"), type);
        EXPECT_EQ(running.engine->getTensorDataType("y"), type);
        seenIn.clear();
        seenOut.clear();
        if (type == DataType::kFLOAT) {
            std::vector<float> in{-1.5F, 0.0F, 2.0F};
            std::vector<float> out;
            EXPECT_TRUE(running.run({{"x", &in}, {"y", &out}})) << session.log.errors();
            EXPECT_EQ(out, (std::vector<float>{0.0F, 0.0F, 2.0F}));
        } else {
            uint16_t in[3] = {0xBE00, 0, 0x4000}; // -1.5, 0, 2
            uint16_t out[3] = {1, 1, 1};
            running.context->setTensorAddress("x", in);
            running.context->setTensorAddress("y", out);
            EXPECT_TRUE(running.context->enqueueV3(nullptr)) << session.log.errors();
            EXPECT_EQ(out[0], 0);
            EXPECT_EQ(out[2], 0x4000);
        }
        layers = running.engine->getNbLayers();
        return "";
    }

    using Types = std::set<DataType>;
    Script script;
    DataType slow = DataType::kINT32;
    DataType narrow = DataType::kHALF; ///< run() sets its flag
    Types seenIn;
    Types seenOut;
    int32_t layers = 0;
};

INSTANTIATE_TEST_SUITE_P(BothStyles, PluginTypes, testing::Values(Style::kV2, Style::kV3),
                         [](auto const& info) { return nameOf(info.param); });

TEST_P(PluginTypes, HalfOnlyInAFloatNetworkIsCastAround) {
    take({DataType::kHALF});
    EXPECT_EQ(run(0, false), "");
    EXPECT_EQ(seenIn, Types{DataType::kHALF});
    EXPECT_EQ(seenOut, Types{DataType::kHALF});
    EXPECT_EQ(layers, 4); // cast, plugin, cast, ReLU
}

TEST_P(PluginTypes, HalfOnlyUnderFP16) {
    take({DataType::kHALF});
    EXPECT_EQ(run(0, true), "");
    EXPECT_EQ(seenIn, Types{DataType::kHALF});
}

TEST_P(PluginTypes, FloatOnlyUnderFP16) {
    take({DataType::kFLOAT});
    EXPECT_EQ(run(0, true), "");
    EXPECT_EQ(seenIn, Types{DataType::kFLOAT});
}

TEST_P(PluginTypes, TheFasterTypeIsChosenUnderFP16) {
    take({DataType::kFLOAT, DataType::kHALF});
    slow = DataType::kFLOAT;
    EXPECT_EQ(run(0, true), "");
    EXPECT_EQ(seenIn, Types{DataType::kHALF});
    slow = DataType::kHALF;
    EXPECT_EQ(run(0, true), "");
    EXPECT_EQ(seenIn, Types{DataType::kFLOAT});
    EXPECT_EQ(layers, 2);
}

// Input and output types may differ: the plugin converts.
TEST_P(PluginTypes, HalfInAndFloatOut) {
    script.takes = [](auto const& desc, auto const& first) {
        bool const isFirst = &desc == &first;
        return desc.type == (isFirst ? DataType::kHALF : DataType::kFLOAT);
    };
    script.work = [this](Call const& call) {
        seenIn.insert(call.in[0].type);
        seenOut.insert(call.out[0].type);
        float const out[] = {0.0F, 0.0F, 2.0F};
        std::memcpy(call.outputs[0], out, sizeof(out));
        return 0;
    };
    EXPECT_EQ(run(0, false), "");
    EXPECT_EQ(seenIn, Types{DataType::kHALF});
    EXPECT_EQ(seenOut, Types{DataType::kFLOAT});
}

TEST_P(PluginTypes, StronglyTypedHalf) {
    take({DataType::kHALF});
    EXPECT_EQ(run(kStronglyTyped, false, DataType::kHALF), "");
    EXPECT_EQ(seenIn, Types{DataType::kHALF});
    EXPECT_EQ(layers, 2);
}

TEST_P(PluginTypes, StronglyTypedMismatchIsRefused) {
    take({DataType::kHALF});
    std::string const errors = run(kStronglyTyped, false);
    EXPECT_THAT(errors, HasSubstr("[plugin] layer 'custom', plugin Scripted (version 1): "
                                  "supportsFormatCombination takes no combination"));
    EXPECT_THAT(errors, HasSubstr("it refused: operand 0 as float32 linear"));
    EXPECT_THAT(errors, HasSubstr("or add cast layers around the plugin"));
}

// Precision flags allow choices in weakly typed networks only.
TEST_P(PluginTypes, StronglyTypedNetworksRefusePrecisionFlags) {
    take({DataType::kFLOAT, DataType::kHALF});
    EXPECT_THAT(run(kStronglyTyped, true), HasSubstr("BuilderFlag FP16 (the types of a strongly"));
    EXPECT_EQ(seenIn, Types{});
}

/// Number of layers in the engine of plugin -> ReLU -> plugin, whose plugins take one type only.
int32_t layersBetweenPlugins(Script& script, Style style, std::optional<BuilderFlag> flag) {
    Session session;
    if (flag.has_value()) {
        session.config->setFlag(*flag);
    }
    std::optional<ScriptedV2Creator> v2;
    std::optional<ScriptedV3Creator> v3;
    if (style == Style::kV2) { // their names are equal: only one can be registered
        v2.emplace(script);
    } else {
        v3.emplace(script);
    }
    ITensor* tensor = &session.input("x", {1 << 16});
    tensor = addScripted(*session.network, script, style, {tensor})->getOutput(0);
    tensor = session.network->addActivation(*tensor, ActivationType::kRELU)->getOutput(0);
    session.output(*addScripted(*session.network, script, style, {tensor})->getOutput(0), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    if (plan == nullptr) {
        ADD_FAILURE() << session.log.errors();
        return -1;
    }
    Running running(session.log, *plan);
    std::vector<float> in(1 << 16, -1.5F);
    in[1] = 2.0F;
    std::vector<float> out;
    EXPECT_TRUE(running.run({{"x", &in}, {"y", &out}})) << session.log.errors();
    EXPECT_EQ(out[0], 0.0F);
    EXPECT_EQ(out[1], 2.0F);
    return running.engine->getNbLayers();
}

// A ReLU in float needs a cast before and after it.
TEST_P(PluginTypes, LayersComputeInTheTypeThatAFlagAllows) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the faster layer is chosen, and sanitizers change what is faster";
#endif
    take({DataType::kBF16});
    EXPECT_EQ(layersBetweenPlugins(script, GetParam(), std::nullopt), 7);
    EXPECT_EQ(layersBetweenPlugins(script, GetParam(), BuilderFlag::kFP16), 7);
    EXPECT_EQ(layersBetweenPlugins(script, GetParam(), BuilderFlag::kBF16), 5);
    take({DataType::kHALF});
    EXPECT_EQ(layersBetweenPlugins(script, GetParam(), BuilderFlag::kBF16), 7);
    EXPECT_EQ(layersBetweenPlugins(script, GetParam(), BuilderFlag::kFP16), 5);
}

TEST_P(PluginTypes, TheFasterTypeIsChosenUnderBF16) {
    narrow = DataType::kBF16;
    take({DataType::kFLOAT, DataType::kBF16});
    slow = DataType::kFLOAT;
    EXPECT_EQ(run(0, true), "");
    EXPECT_EQ(seenIn, Types{DataType::kBF16});
    slow = DataType::kBF16;
    EXPECT_EQ(run(0, true), "");
    EXPECT_EQ(seenIn, Types{DataType::kFLOAT});
}

} // namespace
} // namespace kiln::test
