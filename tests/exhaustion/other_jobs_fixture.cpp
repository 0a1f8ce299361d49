// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include <gtest/gtest.h>
#include <kiln/device.h>
#include <kiln/kiln.h>
#include <kiln/plugin_error.h>

#include "exhaustion/jobs.h"
#include "support/test_paths.h"

namespace kiln::test {

using namespace nvinfer1;

namespace {

/// Calls with invalid arguments and long error messages. Each fails with and without memory.
class Refuse final : public Job {
public:
    bool prepare() override {
        builder_.reset(createInferBuilder(log));
        builder_->setErrorRecorder(&recorder);
        network_.reset(builder_->createNetworkV2(0));
        network_->setErrorRecorder(&recorder);
        config_.reset(builder_->createBuilderConfig());
        profile_ = builder_->createOptimizationProfile();
        runtime_.reset(createInferRuntime(log));
        runtime_->setErrorRecorder(&recorder);
        x_ = network_->addInput("x", DataType::kFLOAT, Dims2{2, 3});
        soft_ = network_->addSoftMax(*x_);
        pool_ = network_->addPoolingNd(*x_, PoolingType::kMAX, DimsHW{2, 2});
        pool_->setPrePadding(DimsHW{1, 0});
        return soft_ != nullptr && pool_ != nullptr;
    }
    bool attempt() override {
        Dims const bad{99, {}};
        char const junk[] = "this is no plan at all";
        KILN_TRY(builder_->createNetworkV2(~0U) == nullptr);
        KILN_TRY(network_->addInput(nullptr, DataType::kFLOAT, bad) == nullptr);
        KILN_TRY(network_->addInput("x", DataType::kFLOAT, bad) == nullptr);
        KILN_TRY(network_->addConcatenation(nullptr, -1) == nullptr);
        KILN_TRY(network_->addReduce(*x_, static_cast<ReduceOperation>(77), 0, true) == nullptr);
        KILN_TRY(network_->addPluginV2(nullptr, 3, v2_) == nullptr);
        KILN_TRY(network_->addPluginV3(nullptr, -1, nullptr, 0, v3_) == nullptr);
        x_->setDimensions(bad);
        x_->setAllowedFormats(0);
        x_->setType(static_cast<DataType>(88));
        x_->setLocation(TensorLocation::kHOST);
        x_->setBroadcastAcrossBatch(true);
        soft_->setAxes(0);
        soft_->setInput(7, *x_);
        soft_->setPrecision(DataType::kINT8);
        pool_->getPaddingNd();
        config_->setAvgTimingIterations(0);
        config_->addOptimizationProfile(nullptr);
        config_->setPluginsToSerialize(nullptr, 4);
        KILN_TRY(!profile_->setDimensions(nullptr, OptProfileSelector::kMIN, bad));
        KILN_TRY(!profile_->setDimensions("x", static_cast<OptProfileSelector>(9), Dims2{1, 1}));
        KILN_TRY(profile_->getNbShapeValues("a name longer than a string keeps in itself") < 0);
        KILN_TRY(builder_->buildSerializedNetwork(*network_, *config_) == nullptr);
        KILN_TRY(runtime_->deserializeCudaEngine(junk, sizeof(junk)) == nullptr);
        KILN_TRY(runtime_->deserializeCudaEngine(nullptr, 0) == nullptr);
        KILN_TRY(runtime_->loadRuntime("x") == nullptr);
        KILN_TRY(openEngine(*runtime_, "/nowhere/at/all.plan") == nullptr);
        KILN_TRY(!checkPlan("/nowhere/at/all.plan", log));
        KILN_TRY(describePlan("/nowhere/at/all.plan", log) == nullptr);
        KILN_TRY(createInferBuilder_INTERNAL(&log, 1) == nullptr);
        KILN_TRY(createInferRuntime_INTERNAL(nullptr, 1) == nullptr);
        return true;
    }
    bool verify() override { return log.errors > 20; }
    void destroy() override {
        runtime_.reset();
        config_.reset();
        network_.reset();
        builder_.reset();
    }

private:
    DoublingV2 v2_;
    DoublingV3 v3_;
    std::unique_ptr<IBuilder> builder_;
    std::unique_ptr<INetworkDefinition> network_;
    std::unique_ptr<IBuilderConfig> config_;
    std::unique_ptr<IRuntime> runtime_;
    IOptimizationProfile* profile_ = nullptr;
    ITensor* x_ = nullptr;
    ISoftMaxLayer* soft_ = nullptr;
    IPoolingLayer* pool_ = nullptr;
};

class Resource final : public IPluginResource {
public:
    int32_t release() noexcept override { return 0; }
    IPluginResource* clone() noexcept override { return new (std::nothrow) Resource; }
};

/// The registry of the process and one of a runtime, a plugin library, and resources.
class Registry final : public Job {
public:
    Registry() : library_(builtFolder() + "/kiln_test_plugins_works_exported.so") {}
    bool prepare() override {
        runtime_.reset(createInferRuntime(log));
        return runtime_ != nullptr;
    }
    bool attempt() override {
        IPluginRegistry& process = *getPluginRegistry();
        bool const done = useAll(process) && useAll(runtime_->getPluginRegistry());
        // A plugin author deregisters creators in any case.
        process.deregisterCreator(v3_);
        process.deregisterCreator(static_cast<IPluginCreatorInterface const&>(v2_));
        return done;
    }
    void destroy() override { runtime_.reset(); }

private:
    bool useAll(IPluginRegistry& registry) noexcept {
        auto* const handle = registry.loadLibrary(library_.c_str());
        bool const done = handle != nullptr && usePlain(registry);
        if (handle != nullptr) {
            registry.deregisterLibrary(handle);
        }
        return done;
    }
    bool usePlain(IPluginRegistry& registry) noexcept {
        registry.registerCreator(v3_, "");
        registry.registerCreator(static_cast<IPluginCreatorInterface&>(v2_), "space");
        int32_t count = 0;
        KILN_TRY(registry.getAllCreators(&count) != nullptr && count > 0);
        KILN_TRY(registry.getAllCreatorsRecursive(&count) != nullptr && count > 0);
        KILN_TRY(registry.getCreator("ExhaustionDoublingV3", "1", "") == &v3_);
        KILN_TRY(registry.getCreator("ExhaustionTrebling", "1", "") == nullptr);
        Resource mine;
        KILN_TRY(registry.acquirePluginResource("a key of some length, for the heap", &mine));
        KILN_TRY(registry.releasePluginResource("a key of some length, for the heap") == 0);
        registry.deregisterCreator(v3_);
        registry.deregisterCreator(static_cast<IPluginCreatorInterface const&>(v2_));
        return true;
    }

    std::string library_;
    DoublingV2Creator v2_;
    DoublingV3Creator v3_;
    std::unique_ptr<IRuntime> runtime_;
};

/// Kiln's own additions to the API.
class Extras final : public Job {
public:
    bool prepare() override {
        std::unique_ptr<IHostMemory> const plan = bigPlan(log);
        path_ = testing::TempDir() + "kiln_exhaustion_" + std::to_string(getpid()) + ".plan";
        std::FILE* const file = std::fopen(path_.c_str(), "wb");
        bool const written = std::fwrite(plan->data(), 1, plan->size(), file) == plan->size();
        std::fclose(file);
        runtime_.reset(createInferRuntime(log));
        return written && creators_.enter();
    }
    bool attempt() override {
        engine_.reset(openEngine(*runtime_, path_.c_str()));
        KILN_TRY(engine_ != nullptr);
        KILN_TRY(checkPlan(path_.c_str(), log));
        std::unique_ptr<IHostMemory> const text(describePlan(path_.c_str(), log));
        KILN_TRY(text != nullptr &&
                 std::strstr(static_cast<char const*>(text->data()), "Doubling"));
        KILN_TRY(std::strcmp(defaultTarget(), "cpu") == 0);
        // These calls have no logger: they report failure by their return value.
        ++log.errors;
        KILN_TRY(std::strcmp(targetProblem("cpu"), "") == 0);
        KILN_TRY(std::strstr(targetProblem("abacus"), "expected one of") != nullptr);
        KILN_TRY(std::strstr(describeTarget("cpu"), "architectures") != nullptr);
        KILN_TRY(!setDefaultTarget("abacus"));
        char const* problem = nullptr;
        IDevice* const device = openDevice("cpu", &problem);
        KILN_TRY(device != nullptr && deviceOf(*engine_) == device);
        void* const memory = device->allocate(1000);
        KILN_TRY(memory != nullptr);
        device->release(memory);
        kilnReportPluginError("a text that is longer than what a string keeps in itself");
        KILN_TRY(*kilnTakePluginError() != '\0'); // at least "no memory"
        return *kilnTakePluginError() == '\0';
    }
    void destroy() override {
        engine_.reset();
        runtime_.reset();
        unlink(path_.c_str());
    }

private:
    BigCreators creators_;
    std::string path_;
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
};

constexpr JobKind kJobs[] = {
    {"Refuse", makeJob<Refuse>}, {"Registry", makeJob<Registry>}, {"Extras", makeJob<Extras>}};

} // namespace

std::span<JobKind const> otherJobs() {
    return kJobs;
}

} // namespace kiln::test
