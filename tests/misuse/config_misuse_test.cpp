// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include <NvOnnxParser.h>
#include <gtest/gtest.h>

#include "misuse/hostile.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

class ConfigMisuse : public testing::Test, protected Session {
protected:
    void SetUp() override {
        ITensor& x = input("x", {2, 2});
        output(*network->addSoftMax(x)->getOutput(0), "y");
    }
};

TEST_F(ConfigMisuse, Settings) {
    forNumbers([&](int32_t number) {
        config->setAvgTimingIterations(number);
        config->setMaxNbTactics(number);
        config->setBuilderOptimizationLevel(number);
        config->setMaxAuxStreams(number);
        config->setDLACore(number);
        config->setFlags(static_cast<uint32_t>(number));
        config->setFlag(static_cast<BuilderFlag>(number));
        config->getFlag(static_cast<BuilderFlag>(number));
        config->clearFlag(static_cast<BuilderFlag>(number));
        config->setPreviewFeature(static_cast<PreviewFeature>(number), true);
        config->getPreviewFeature(static_cast<PreviewFeature>(number));
        config->setMemoryPoolLimit(static_cast<MemoryPoolType>(number), 1000);
        config->getMemoryPoolLimit(static_cast<MemoryPoolType>(number));
        config->setTilingOptimizationLevel(static_cast<TilingOptimizationLevel>(number));
        config->setL2LimitForTiling(number);
        config->setTacticSources(static_cast<uint32_t>(number));
        config->setEngineCapability(static_cast<EngineCapability>(number));
        config->setHardwareCompatibilityLevel(static_cast<HardwareCompatibilityLevel>(number));
        config->setRuntimePlatform(static_cast<RuntimePlatform>(number));
        config->setDeviceType(nullptr, static_cast<DeviceType>(number));
        config->setDefaultDeviceType(static_cast<DeviceType>(number));
        config->setProfilingVerbosity(static_cast<ProfilingVerbosity>(number));
        config->setQuantizationFlags(static_cast<uint32_t>(number));
        config->setQuantizationFlag(static_cast<QuantizationFlag>(number));
        config->getQuantizationFlag(static_cast<QuantizationFlag>(number));
        config->clearQuantizationFlag(static_cast<QuantizationFlag>(number));
        config->setPluginsToSerialize(nullptr, number);
        config->getPluginToSerialize(number);
    });
    config->getDeviceType(nullptr);
    config->isDeviceTypeSet(nullptr);
    config->resetDeviceType(nullptr);
    config->canRunOnDLA(nullptr);
    config->setProfileStream(nullptr);
    config->setProgressMonitor(nullptr);
    config->setInt8Calibrator(nullptr);
    config->setAlgorithmSelector(nullptr);
    config->setCalibrationProfile(nullptr);
    EXPECT_EQ(config->addOptimizationProfile(nullptr), -1);
    forTexts([&](char const* text) {
        config->setRemoteAutoTuningConfig(text);
        config->setBuildRoute(text);
        char const* const paths[] = {text, "x.so"};
        config->setPluginsToSerialize(paths, 2);
    });
    build(); // may fail
    config->reset();
    config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    EXPECT_NE(build(), nullptr) << log.errors();
}

TEST_F(ConfigMisuse, TimingCaches) {
    EXPECT_EQ(config->createTimingCache(nullptr, 5), nullptr);
    EXPECT_EQ(config->createTimingCache("junk", 4), nullptr);
    config->setFlag(BuilderFlag::kEDITABLE_TIMING_CACHE);
    std::unique_ptr<ITimingCache> const cache(config->createTimingCache(nullptr, 0));
    ASSERT_NE(cache, nullptr);
    forLongNumbers([&](int64_t number) { cache->queryKeys(nullptr, number); });
    EXPECT_TRUE(cache->combine(*cache, false));
    cache->query(TimingCacheKey{});
    cache->update(TimingCacheKey{}, TimingCacheValue{});
    EXPECT_TRUE(config->setTimingCache(*cache, true));
    EXPECT_NE(build(), nullptr) << log.errors();
}

TEST_F(ConfigMisuse, Profiles) {
    forEnum<OptProfileSelector>([&](OptProfileSelector select) {
        forTexts([&](char const* text) {
            forDims([&](Dims const& dims) { profile().setDimensions(text, select, dims); });
            profile().getDimensions(text, select);
            profile().getNbShapeValues(text);
            profile().getShapeValuesV2(text, select);
            profile().getShapeValues(text, select);
            int64_t const wide[] = {1};
            int32_t const narrow[] = {1};
            for (int32_t const count : {-1, 0, 1}) {
                profile().setShapeValuesV2(text, select, wide, count);
                profile().setShapeValuesV2(text, select, nullptr, count);
                profile().setShapeValues(text, select, narrow, count);
                profile().setShapeValues(text, select, nullptr, count);
            }
        });
    });
    EXPECT_FALSE(profile().setExtraMemoryTarget(NAN));
    EXPECT_FALSE(profile().setExtraMemoryTarget(-1.0F));
    profile().isValid();
    config->addOptimizationProfile(&profile());
    delete builder->buildSerializedNetwork(*network, *config);
}

TEST_F(ConfigMisuse, Parsers) {
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, log));
    EXPECT_EQ(createNvOnnxParser_INTERNAL(nullptr, &log, NV_ONNX_PARSER_VERSION), nullptr);
    EXPECT_EQ(createNvOnnxParser_INTERNAL(network.get(), nullptr, NV_ONNX_PARSER_VERSION), nullptr);
    forNumbers([&](int32_t number) {
        EXPECT_EQ(parser->getError(number) != nullptr,
                  number >= 0 && number < parser->getNbErrors());
        parser->setFlags(static_cast<uint32_t>(number));
        parser->setFlag(static_cast<nvonnxparser::OnnxParserFlag>(number));
        parser->getFlag(static_cast<nvonnxparser::OnnxParserFlag>(number));
        parser->clearFlag(static_cast<nvonnxparser::OnnxParserFlag>(number));
        parser->isSubgraphSupported(number);
        int64_t length = 0;
        EXPECT_EQ(parser->getSubgraphNodes(number, length), nullptr);
    });
    EXPECT_FALSE(parser->parseModelProto());
    forTexts([&](char const* text) {
        parser->supportsOperator(text);
        parser->parseFromFile(text, -1);
        parser->getLayerOutputTensor(text, -1);
        parser->loadInitializer(text, nullptr, 7);
        parser->loadInitializer(text, "x", 1);
        std::size_t const length = text == nullptr ? 5 : std::strlen(text);
        EXPECT_FALSE(parser->parse(text, length, text));
        EXPECT_FALSE(parser->parse(text, 0, nullptr));
        parser->supportsModelV2(text, length, text);
        parser->loadModelProto(text, length, text);
    });
    EXPECT_FALSE(parser->setBuilderConfig(nullptr));
    parser->clearErrors();
    EXPECT_EQ(parser->getNbErrors(), 0);
}

} // namespace
} // namespace kiln::test
