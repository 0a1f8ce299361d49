// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A configuration is data: getters return what was set, and the build names what it cannot honour.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class BuilderConfig : public testing::Test, protected Session {
protected:
    /// Builds y = copy of x.
    bool buildCopy(bool stronglyTyped = false) {
        network.reset(builder->createNetworkV2(stronglyTyped ? 2U : 0U));
        copy = network->addIdentity(input("x", {2}));
        copy->setName("copy");
        network->markOutput(*copy->getOutput(0));
        std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
        return plan != nullptr;
    }

    ILayer* copy = nullptr;
};

struct Calibrator final : IInt8EntropyCalibrator2 {
    int32_t getBatchSize() const noexcept override { return 1; }
    bool getBatch(void**, char const**, int32_t) noexcept override { return false; }
    void const* readCalibrationCache(std::size_t& length) noexcept override {
        length = 0;
        return nullptr;
    }
    void writeCalibrationCache(void const*, std::size_t) noexcept override {}
};

struct Selector final : IAlgorithmSelector {
    int32_t selectAlgorithms(IAlgorithmContext const&, IAlgorithm const* const*, int32_t,
                             int32_t*) noexcept override {
        ++asked;
        return 0;
    }
    void reportAlgorithms(IAlgorithmContext const* const*, IAlgorithm const* const*,
                          int32_t count) noexcept override {
        reported += count;
    }

    int32_t asked = 0;
    int32_t reported = 0;
};

char const* nameOfFlag(BuilderFlag flag);

TEST_F(BuilderConfig, FlagsAreKept) {
    EXPECT_EQ(config->getFlags(), 1U << static_cast<uint32_t>(BuilderFlag::kTF32));
    for (int32_t i = 0; i < EnumMax<BuilderFlag>(); ++i) {
        auto const flag = static_cast<BuilderFlag>(i);
        config->setFlag(flag);
        EXPECT_TRUE(config->getFlag(flag)) << i;
        config->clearFlag(flag);
        EXPECT_FALSE(config->getFlag(flag)) << i;
    }
    uint32_t const all = (1U << static_cast<uint32_t>(EnumMax<BuilderFlag>())) - 1U;
    config->setFlags(all);
    EXPECT_EQ(config->getFlags(), all);
    EXPECT_EQ(log.takeErrors(), "");
}

TEST_F(BuilderConfig, WhatIsNoFlagChangesNothing) {
    uint32_t const before = config->getFlags();
    config->setFlag(static_cast<BuilderFlag>(77));
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[config] flag: expected a member of BuilderFlag, which are "
                          "numbered 0 to 28, got 77"));
    config->setFlag(static_cast<BuilderFlag>(-1));
    EXPECT_THAT(log.takeErrors(), HasSubstr("got -1"));
    EXPECT_FALSE(config->getFlag(static_cast<BuilderFlag>(-1)));
    config->setFlags(1U << 31U);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[config] flags: expected bits within 0x1fffffff"));
    config->setMemoryPoolLimit(static_cast<MemoryPoolType>(50), 1);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a member of MemoryPoolType"));
    config->setAvgTimingIterations(0);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected 1 or more, got 0"));
    EXPECT_EQ(config->getFlags(), before);
    EXPECT_EQ(builder->createNetworkV2(1U << 20U), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[builder] network: expected flags within"));
}

// Each flag works, is refused by name, or is reported as one that only tunes.
TEST_F(BuilderConfig, EveryFlagHasAnEffectOrIsNamed) {
    for (int32_t i = 0; i < EnumMax<BuilderFlag>(); ++i) {
        auto const flag = static_cast<BuilderFlag>(i);
        std::string const name = std::string("BuilderFlag ") + nameOfFlag(flag);
        config->setFlags(1U << static_cast<uint32_t>(flag));
        log.clear();
        bool const built = buildCopy();
        std::string const noted = log.has("because they only tune:") ? log.text() : "";
        std::string const errors = log.takeErrors();
        switch (flag) {
        case BuilderFlag::kFP16:
        case BuilderFlag::kBF16:
        case BuilderFlag::kINT8:
        case BuilderFlag::kOBEY_PRECISION_CONSTRAINTS:
        case BuilderFlag::kPREFER_PRECISION_CONSTRAINTS:
        case BuilderFlag::kGPU_FALLBACK:
        case BuilderFlag::kDISABLE_TIMING_CACHE:
        case BuilderFlag::kERROR_ON_TIMING_CACHE_MISS:
        case BuilderFlag::kEDITABLE_TIMING_CACHE:
        case BuilderFlag::kDIRECT_IO:
        case BuilderFlag::kREFIT:
        case BuilderFlag::kREFIT_IDENTICAL:
        case BuilderFlag::kREFIT_INDIVIDUAL:
        case BuilderFlag::kSTRIP_PLAN:
        case BuilderFlag::kREJECT_EMPTY_ALGORITHMS:
        case BuilderFlag::kVERSION_COMPATIBLE:
        case BuilderFlag::kTF32: // the default
            EXPECT_TRUE(built) << name << errors;
            EXPECT_EQ(noted, "") << name;
            break;
        default:
            EXPECT_THAT(built ? noted : errors, HasSubstr(name));
            EXPECT_EQ(errors.empty(), built) << name;
        }
    }
}

TEST_F(BuilderConfig, PromisesAreRefusedByNameAtTheBuild) {
    for (BuilderFlag const flag : {BuilderFlag::kSAFETY_SCOPE,
                                   BuilderFlag::kWEIGHT_STREAMING, // the network is weakly typed
                                   BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE}) {
        config->setFlags(1U << static_cast<uint32_t>(flag));
        EXPECT_FALSE(buildCopy());
        EXPECT_THAT(log.takeErrors(), HasSubstr(std::string("BuilderFlag ") + nameOfFlag(flag)));
    }
    config->setFlags(0);
    config->setEngineCapability(EngineCapability::kSAFETY);
    config->setRuntimePlatform(RuntimePlatform::kWINDOWS_AMD64);
    config->setBuildRoute("fast");
    EXPECT_FALSE(buildCopy());
    std::string const all = log.takeErrors(); // one message names them all
    EXPECT_THAT(all, HasSubstr("EngineCapability SAFETY"));
    EXPECT_THAT(all, HasSubstr("RuntimePlatform WINDOWS_AMD64"));
    EXPECT_THAT(all, HasSubstr("build route 'fast'"));
    config->reset();
    EXPECT_TRUE(buildCopy()) << log.takeErrors();
}

TEST_F(BuilderConfig, StronglyTypedNetworksRefusePrecisionFlags) {
    config->setFlag(BuilderFlag::kFP16);
    config->setFlag(BuilderFlag::kBF16);
    EXPECT_FALSE(buildCopy(true));
    EXPECT_THAT(log.takeErrors(), HasSubstr("BuilderFlag FP16 (the types of a strongly typed "
                                            "network follow from its layers); BuilderFlag BF16"));
}

TEST_F(BuilderConfig, CalibratorsAndSelectorsAreKept) {
    Calibrator calibrator;
    Selector selector;
    config->setInt8Calibrator(&calibrator);
    EXPECT_EQ(config->getInt8Calibrator(), &calibrator);
    EXPECT_TRUE(buildCopy()) << "without INT8, it is not asked: " << log.takeErrors();
    config->setFlag(BuilderFlag::kINT8);
    EXPECT_FALSE(buildCopy());
    EXPECT_THAT(log.takeErrors(), HasSubstr("[calibration] expected a batch or more"));
    config->setInt8Calibrator(nullptr);
    EXPECT_TRUE(buildCopy()) << log.takeErrors();
    config->setAlgorithmSelector(&selector);
    EXPECT_EQ(config->getAlgorithmSelector(), &selector);
    EXPECT_TRUE(buildCopy()) << log.takeErrors();
    EXPECT_EQ(selector.asked, 1);
    EXPECT_EQ(selector.reported, 1);
    config->setFlag(BuilderFlag::kREJECT_EMPTY_ALGORITHMS);
    EXPECT_FALSE(buildCopy());
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected the algorithm selector to choose 1 to"));
    EXPECT_EQ(selector.reported, 1);
    EXPECT_EQ(calibrator.getAlgorithm(), CalibrationAlgoType::kENTROPY_CALIBRATION_2);
    EXPECT_STREQ(selector.getInterfaceInfo().kind, "IAlgorithmSelector");
}

TEST_F(BuilderConfig, DeviceTypesAreKeptPerLayer) {
    ASSERT_TRUE(buildCopy());
    EXPECT_FALSE(config->isDeviceTypeSet(copy));
    config->setDeviceType(copy, DeviceType::kDLA);
    EXPECT_TRUE(config->isDeviceTypeSet(copy));
    EXPECT_EQ(config->getDeviceType(copy), DeviceType::kDLA);
    EXPECT_EQ(builder->buildSerializedNetwork(*network, *config), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("DeviceType DLA of layer 'copy'"));
    config->setFlag(BuilderFlag::kGPU_FALLBACK);
    EXPECT_NE(std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config)),
              nullptr);
    config->resetDeviceType(copy);
    EXPECT_FALSE(config->isDeviceTypeSet(copy));
    config->setDefaultDeviceType(DeviceType::kDLA);
    EXPECT_EQ(config->getDeviceType(copy), DeviceType::kDLA);
    config->clearFlag(BuilderFlag::kGPU_FALLBACK);
    EXPECT_FALSE(buildCopy());
    EXPECT_THAT(log.takeErrors(), HasSubstr("GPU_FALLBACK"));
}

TEST_F(BuilderConfig, NumbersAndTextsAreKept) {
    EXPECT_EQ(config->getTacticSources(), 0x18U);
    EXPECT_TRUE(config->setTacticSources(7));
    EXPECT_EQ(config->getTacticSources(), 7U);
    EXPECT_FALSE(config->setTacticSources(1U << 9U));
    EXPECT_THAT(log.takeErrors(), HasSubstr("members of TacticSource"));
    EXPECT_EQ(config->getTacticSources(), 7U);
    config->setBuilderOptimizationLevel(9);
    EXPECT_EQ(config->getBuilderOptimizationLevel(), 9);
    EXPECT_TRUE(config->setTilingOptimizationLevel(TilingOptimizationLevel::kMODERATE));
    EXPECT_EQ(config->getTilingOptimizationLevel(), TilingOptimizationLevel::kMODERATE);
    EXPECT_TRUE(config->setL2LimitForTiling(1 << 20));
    EXPECT_EQ(config->getL2LimitForTiling(), 1 << 20);
    config->setDLACore(2);
    EXPECT_EQ(config->getDLACore(), 2);
    config->setHardwareCompatibilityLevel(HardwareCompatibilityLevel::kAMPERE_PLUS);
    EXPECT_EQ(config->getHardwareCompatibilityLevel(), HardwareCompatibilityLevel::kAMPERE_PLUS);
    config->setQuantizationFlag(QuantizationFlag::kCALIBRATE_BEFORE_FUSION);
    EXPECT_TRUE(config->getQuantizationFlag(QuantizationFlag::kCALIBRATE_BEFORE_FUSION));
    EXPECT_EQ(config->getQuantizationFlags(), 1U);
    EXPECT_TRUE(config->setRemoteAutoTuningConfig("ssh://there"));
    EXPECT_STREQ(config->getRemoteAutoTuningConfig(), "ssh://there");
    EXPECT_EQ(config->getMemoryPoolLimit(MemoryPoolType::kDLA_LOCAL_DRAM), std::size_t{1} << 30U);
    for (int32_t i = 0; i < EnumMax<MemoryPoolType>(); ++i) {
        config->setMemoryPoolLimit(static_cast<MemoryPoolType>(i), 4096U * (1U + i));
        EXPECT_EQ(config->getMemoryPoolLimit(static_cast<MemoryPoolType>(i)), 4096U * (1U + i));
    }
    for (int32_t i = 0; i < EnumMax<PreviewFeature>(); ++i) {
        config->setPreviewFeature(static_cast<PreviewFeature>(i), true);
        EXPECT_TRUE(config->getPreviewFeature(static_cast<PreviewFeature>(i)));
    }
    EXPECT_TRUE(buildCopy()) << log.takeErrors();
}

TEST_F(BuilderConfig, ProfilesOutliveAResetOfTheirBuilder) {
    network.reset(builder->createNetworkV2(0));
    network->markOutput(*network->addIdentity(input("x", {-1}))->getOutput(0));
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    profile->setDimensions("x", OptProfileSelector::kMIN, dims({1}));
    profile->setDimensions("x", OptProfileSelector::kOPT, dims({2}));
    profile->setDimensions("x", OptProfileSelector::kMAX, dims({4}));
    EXPECT_EQ(config->addOptimizationProfile(profile), 0);
    EXPECT_TRUE(config->setCalibrationProfile(profile));
    builder->reset();
    EXPECT_EQ(config->getCalibrationProfile(), profile);
    EXPECT_EQ(str(profile->getDimensions("x", OptProfileSelector::kMAX)), "[4]");
    EXPECT_NE(std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config)),
              nullptr)
        << log.takeErrors();
}

TEST_F(BuilderConfig, ARuntimeKeepsItsSettings) {
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    runtime->setDLACore(1);
    EXPECT_EQ(runtime->getDLACore(), 1);
    EXPECT_TRUE(runtime->setMaxThreads(3));
    EXPECT_EQ(runtime->getMaxThreads(), 3);
    runtime->setTempfileControlFlags(1);
    EXPECT_EQ(runtime->getTempfileControlFlags(), 1U);
    EXPECT_EQ(log.takeErrors(), "");
}

char const* nameOfFlag(BuilderFlag flag) {
    static char const* const names[] = {"FP16",
                                        "INT8",
                                        "DEBUG",
                                        "GPU_FALLBACK",
                                        "REFIT",
                                        "DISABLE_TIMING_CACHE",
                                        "TF32",
                                        "SPARSE_WEIGHTS",
                                        "SAFETY_SCOPE",
                                        "OBEY_PRECISION_CONSTRAINTS",
                                        "PREFER_PRECISION_CONSTRAINTS",
                                        "DIRECT_IO",
                                        "REJECT_EMPTY_ALGORITHMS",
                                        "VERSION_COMPATIBLE",
                                        "EXCLUDE_LEAN_RUNTIME",
                                        "FP8",
                                        "ERROR_ON_TIMING_CACHE_MISS",
                                        "BF16",
                                        "DISABLE_COMPILATION_CACHE",
                                        "STRIP_PLAN",
                                        "REFIT_IDENTICAL",
                                        "WEIGHT_STREAMING",
                                        "INT4",
                                        "REFIT_INDIVIDUAL",
                                        "STRICT_NANS",
                                        "MONITOR_MEMORY",
                                        "FP4",
                                        "EDITABLE_TIMING_CACHE",
                                        "DISTRIBUTIVE_INDEPENDENCE"};
    return names[static_cast<int32_t>(flag)];
}

} // namespace
} // namespace kiln::test
