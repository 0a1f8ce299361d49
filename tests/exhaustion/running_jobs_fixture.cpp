// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "exhaustion/jobs.h"

namespace kiln::test {

using namespace nvinfer1;

namespace {

/// The start of all jobs here: a plan and its creators.
class PlanJob : public Job {
public:
    bool prepare() override {
        plan_ = bigPlan(log);
        return plan_ != nullptr && creators_.enter();
    }

protected:
    BigCreators creators_;
    std::unique_ptr<IHostMemory> plan_;
};

/// Runtime, engine, context, one run.
class Open final : public PlanJob {
public:
    bool attempt() override {
        if (runtime_ == nullptr) {
            runtime_.reset(createInferRuntime(log));
            KILN_TRY(runtime_ != nullptr);
            runtime_->setErrorRecorder(&recorder);
        }
        if (engine_ == nullptr) {
            engine_.reset(runtime_->deserializeCudaEngine(plan_->data(), plan_->size()));
            KILN_TRY(engine_ != nullptr);
        }
        if (context_ == nullptr) {
            context_.reset(engine_->createExecutionContext());
            KILN_TRY(context_ != nullptr);
        }
        KILN_TRY(runBig(*context_, 2));
        copy_.reset(engine_->serialize());
        return copy_ != nullptr;
    }
    bool verify() override {
        return copy_->size() == plan_->size() &&
               std::memcmp(copy_->data(), plan_->data(), plan_->size()) == 0 &&
               runBig(*context_, 8);
    }
    void destroy() override {
        copy_.reset();
        context_.reset();
        engine_.reset();
        runtime_.reset();
    }

protected:
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
    std::unique_ptr<IExecutionContext> context_;
    std::unique_ptr<IHostMemory> copy_;
};

class Profiler final : public IProfiler {
public:
    void reportLayerTime(char const*, float) noexcept override { ++layers; }
    int32_t layers = 0;
};

class Listener final : public IDebugListener {
public:
    bool processDebugTensor(void const*, TensorLocation, DataType, Dims const&, char const*,
                            cudaStream_t) override {
        return true;
    }
};

class Allocator final : public IOutputAllocator {
public:
    void* reallocateOutput(char const*, void*, uint64_t size, uint64_t) noexcept override {
        return size <= sizeof(memory) ? memory : nullptr;
    }
    void* reallocateOutputAsync(char const* name, void* present, uint64_t size, uint64_t alignment,
                                cudaStream_t) noexcept override {
        return reallocateOutput(name, present, size, alignment);
    }
    void notifyShape(char const*, Dims const&) noexcept override {}

    alignas(256) float memory[64] = {};
};

/// The start of the jobs below: an engine that is already open.
class EngineJob : public PlanJob {
public:
    bool prepare() override {
        if (!PlanJob::prepare()) {
            return false;
        }
        runtime_.reset(createInferRuntime(log));
        runtime_->setErrorRecorder(&recorder);
        engine_.reset(runtime_->deserializeCudaEngine(plan_->data(), plan_->size()));
        context_.reset(engine_ == nullptr ? nullptr : engine_->createExecutionContext());
        return context_ != nullptr;
    }
    void destroy() override {
        context_.reset();
        engine_.reset();
        runtime_.reset();
    }

protected:
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
    std::unique_ptr<IExecutionContext> context_;
};

/// Runs at changing shapes with a profiler, a debug listener and an output allocator.
class Run final : public EngineJob {
public:
    bool attempt() override {
        KILN_TRY(context_->setOutputAllocator("y", nullptr)); // left by an earlier attempt
        context_->setProfiler(nullptr);
        KILN_TRY(runBig(*context_, 1));
        context_->setProfiler(&profiler_);
        context_->setDebugListener(&listener_);
        KILN_TRY(runBig(*context_, 5));
        KILN_TRY(profiler_.layers > 0);
        KILN_TRY(context_->setOutputAllocator("y", &allocator_));
        float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        KILN_TRY(context_->setInputShape("x", Dims4{3, 1, 2, 2}));
        KILN_TRY(context_->setTensorAddress("x", x));
        KILN_TRY(context_->getTensorShape("y").nbDims == 4);
        KILN_TRY(context_->getTensorStrides("y").nbDims == 4);
        KILN_TRY(context_->getMaxOutputSize("y") > 0);
        KILN_TRY(context_->enqueueV3(nullptr));
        KILN_TRY(allocator_.memory[11] == 144.0F);
        KILN_TRY(context_->setOutputAllocator("y", nullptr));
        context_->setProfiler(nullptr);
        context_->setName("a name that is longer than what a string keeps in itself");
        char const* missing[2];
        KILN_TRY(context_->inferShapes(2, missing) == 0);
        void* bindings[2] = {x, allocator_.memory};
        return context_->executeV2(bindings);
    }
    bool verify() override { return runBig(*context_, 8); }

private:
    Profiler profiler_;
    Listener listener_;
    Allocator allocator_;
};

/// Everything that an engine reports about itself.
class Inspect final : public EngineJob {
public:
    bool attempt() override {
        inspector_.reset(engine_->createEngineInspector());
        KILN_TRY(inspector_ != nullptr);
        KILN_TRY(inspector_->setExecutionContext(context_.get()));
        for (auto const format :
             {LayerInformationFormat::kJSON, LayerInformationFormat::kONELINE}) {
            KILN_TRY(*inspector_->getEngineInformation(format) != '\0');
            for (int32_t layer = 0; layer < engine_->getNbLayers(); ++layer) {
                KILN_TRY(*inspector_->getLayerInformation(layer, format) != '\0');
            }
        }
        for (int32_t i = 0; i < engine_->getNbIOTensors(); ++i) {
            char const* const name = engine_->getIOTensorName(i);
            KILN_TRY(name != nullptr && engine_->getTensorShape(name).nbDims == 4);
            KILN_TRY(*engine_->getTensorFormatDesc(name) != '\0');
        }
        return engine_->getProfileShape("x", 0, OptProfileSelector::kMAX).nbDims == 4;
    }
    void destroy() override {
        inspector_.reset();
        EngineJob::destroy();
    }

private:
    std::unique_ptr<IEngineInspector> inspector_;
};

constexpr JobKind kJobs[] = {
    {"Open", makeJob<Open>}, {"Run", makeJob<Run>}, {"Inspect", makeJob<Inspect>}};

} // namespace

std::span<JobKind const> runningJobs() {
    return kJobs;
}

} // namespace kiln::test
