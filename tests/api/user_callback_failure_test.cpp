// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Objects that users implement fail at each of their calls in turn. The API call reports the
// failure, memory is given back, and the next attempt works.
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

constexpr int32_t kNever = 1 << 30;

/// Counts calls; now() is true at call number `failAt`.
struct Failure {
    int32_t failAt = kNever;
    int32_t calls = 0;
    bool now() noexcept { return calls++ == failAt; }
};

template <typename Interface>
class Memory final : public Interface {
public:
    void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags) noexcept override {
        return take(size, alignment);
    }
    bool deallocate(void* memory) noexcept override { return giveBack(memory); }
    void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags,
                        cudaStream_t) noexcept override {
        return take(size, alignment);
    }
    bool deallocateAsync(void* memory, cudaStream_t) noexcept override { return giveBack(memory); }

    Failure failure;
    std::set<void*> blocks;

private:
    void* take(uint64_t size, uint64_t alignment) noexcept {
        if (failure.now()) {
            return nullptr;
        }
        void* const memory =
            std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
        blocks.insert(memory);
        return memory;
    }
    bool giveBack(void* memory) noexcept {
        std::free(memory);
        return blocks.erase(memory) == 1;
    }
};

class UserCallbackFailure : public testing::Test, protected Session {
protected:
    void TearDown() override { builder->setErrorRecorder(nullptr); } // recorder dies before builder

    /// A convolution, which has candidates to time, and memory between two layers.
    void fill() {
        static float const weights[] = {2};
        ITensor& x = input("x", {1, 1, 2, 2});
        ITensor* const y =
            network
                ->addConvolutionNd(x, 1, DimsHW{1, 1}, {DataType::kFLOAT, weights, 1},
                                   {DataType::kFLOAT, nullptr, 0})
                ->getOutput(0);
        output(*network->addActivation(*y, ActivationType::kRELU)->getOutput(0), "y");
        builder->setErrorRecorder(&recorder);
    }
    bool recordedExhaustion() const {
        return !recorder.errors.empty() &&
               recorder.errors.back().first == ErrorCode::kFAILED_ALLOCATION;
    }
    static bool computes(IExecutionContext& context) {
        float x[] = {1, 2, 3, 4};
        float y[4] = {};
        void* bindings[] = {x, y};
        return context.executeV2(bindings) && y[3] == 8.0F;
    }

    /// Builds, opens and runs with an allocator that fails at each call in turn.
    template <typename Interface>
    void failEachAllocation() {
        fill();
        Memory<Interface> memory;
        int32_t failures = 0;
        for (int32_t at = 0;; ++at) {
            memory.failure = {at, 0};
            recorder.clear();
            bool const done = buildOpenRun(memory);
            EXPECT_TRUE(memory.blocks.empty()) << at;
            if (memory.failure.calls <= at) { // there were fewer calls
                EXPECT_TRUE(done) << log.errors();
                break;
            }
            EXPECT_FALSE(done) << at;
            EXPECT_TRUE(recordedExhaustion()) << at;
            EXPECT_THAT(log.takeErrors(), HasSubstr("the user's allocator gave no memory")) << at;
            ++failures;
        }
        EXPECT_GE(failures, 1);
    }
    template <typename Interface>
    bool buildOpenRun(Memory<Interface>& memory) {
        builder->setGpuAllocator(&memory);
        std::unique_ptr<IHostMemory> const plan = build();
        if (plan == nullptr) {
            return false;
        }
        std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
        runtime->setErrorRecorder(&recorder);
        runtime->setGpuAllocator(&memory);
        std::unique_ptr<ICudaEngine> const engine(
            runtime->deserializeCudaEngine(plan->data(), plan->size()));
        std::unique_ptr<IExecutionContext> const context(
            engine == nullptr ? nullptr : engine->createExecutionContext());
        return context != nullptr && computes(*context);
    }

    RecordingRecorder recorder;
};

TEST_F(UserCallbackFailure, EachAllocation) {
    failEachAllocation<IGpuAllocator>();
}

TEST_F(UserCallbackFailure, EachAllocationInTheOrderOfAStream) {
    failEachAllocation<IGpuAsyncAllocator>();
}

enum class Way { kTooMany, kNegative, kNothing, kThrows };

class Reader final : public IStreamReader {
public:
    Reader(IHostMemory const& plan, Failure failure, Way way)
        : failure(failure), plan_(plan), way_(way) {}
    int64_t read(void* to, int64_t bytes) override {
        if (failure.now()) {
            switch (way_) {
            case Way::kTooMany: return bytes + 1;
            case Way::kNegative: return -1;
            case Way::kNothing: return 0;
            case Way::kThrows: throw std::runtime_error("the disk is gone");
            }
        }
        constexpr std::size_t kPiece = 1000; // so that there are several calls
        std::size_t const count =
            std::min({kPiece, static_cast<std::size_t>(bytes), plan_.size() - at_});
        std::memcpy(to, static_cast<char const*>(plan_.data()) + at_, count);
        at_ += count;
        return static_cast<int64_t>(count);
    }
    Failure failure;

private:
    IHostMemory const& plan_;
    std::size_t at_ = 0;
    Way way_;
};

TEST_F(UserCallbackFailure, StreamReaderAtEachCall) {
    fill();
    std::unique_ptr<IHostMemory> const plan = build();
    ASSERT_NE(plan, nullptr);
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    runtime->setErrorRecorder(&recorder);
    for (Way const way : {Way::kTooMany, Way::kNegative, Way::kNothing, Way::kThrows}) {
        for (int32_t at = 0;; ++at) {
            recorder.clear();
            Reader reader(*plan, {at, 0}, way);
            std::unique_ptr<ICudaEngine> const engine(
                runtime->deserializeCudaEngine(static_cast<IStreamReader&>(reader)));
            bool const last = way == Way::kNothing && at == reader.failure.calls - 1 &&
                              engine != nullptr; // a valid end of stream
            if (reader.failure.calls <= at || last) {
                EXPECT_NE(engine, nullptr) << log.errors();
                break;
            }
            EXPECT_EQ(engine, nullptr) << at;
            EXPECT_FALSE(recorder.errors.empty()) << at;
        }
    }
    EXPECT_THAT(log.errors(), HasSubstr("the disk is gone"));
}

class Writer final : public IStreamWriter {
public:
    explicit Writer(Way way) : way_(way) {}
    int64_t write(void const*, int64_t bytes) override {
        switch (way_) {
        case Way::kTooMany: return bytes + 1;
        case Way::kNegative: return -1;
        case Way::kNothing: return 0;
        case Way::kThrows: throw 17;
        }
        return bytes;
    }

private:
    Way way_;
};

TEST_F(UserCallbackFailure, StreamWriter) {
    fill();
    for (Way const way : {Way::kTooMany, Way::kNegative, Way::kNothing, Way::kThrows}) {
        recorder.clear();
        Writer writer(way);
        EXPECT_FALSE(builder->buildSerializedNetworkToStream(*network, *config, writer));
        EXPECT_EQ(recorder.errors.size(), 1U);
    }
    EXPECT_THAT(log.errors(), HasSubstr("stream writer: expected"));
    EXPECT_THAT(log.errors(), HasSubstr("an exception of unknown type"));
    EXPECT_NE(build(), nullptr);
}

class Monitor final : public IProgressMonitor {
public:
    void phaseStart(char const*, char const*, int32_t) noexcept override { ++open; }
    bool stepComplete(char const*, int32_t) noexcept override { return !failure.now(); }
    void phaseFinish(char const*) noexcept override { --open; }

    Failure failure;
    int32_t open = 0;
};

TEST_F(UserCallbackFailure, ProgressMonitorThatStopsAtEachStep) {
    fill();
    Monitor monitor;
    config->setProgressMonitor(&monitor);
    int32_t stopped = 0;
    for (int32_t at = 0;; ++at) {
        monitor.failure = {at, 0};
        recorder.clear();
        bool const built = build() != nullptr;
        EXPECT_EQ(monitor.open, 0) << "each phase that begins ends";
        if (monitor.failure.calls <= at) {
            EXPECT_TRUE(built);
            break;
        }
        EXPECT_FALSE(built);
        EXPECT_EQ(recorder.errors.size(), 1U);
        ++stopped;
    }
    EXPECT_GE(stopped, 3);
}

class OutputMemory final : public IOutputAllocator {
public:
    void* reallocateOutputAsync(char const*, void*, uint64_t, uint64_t, cudaStream_t) override {
        if (failure.now()) {
            if (throws) {
                throw std::runtime_error("no room for outputs");
            }
            return nullptr;
        }
        return memory;
    }
    void notifyShape(char const*, Dims const&) noexcept override {}

    Failure failure;
    bool throws = false;
    alignas(256) float memory[4] = {};
};

class Listener final : public IDebugListener {
public:
    bool processDebugTensor(void const*, TensorLocation, DataType, Dims const&, char const*,
                            cudaStream_t) override {
        if (failure.now()) {
            if (throws) {
                throw std::runtime_error("seen enough");
            }
            return false;
        }
        return true;
    }
    Failure failure;
    bool throws = false;
};

TEST_F(UserCallbackFailure, WhileAContextRuns) {
    fill();
    network->markDebug(*network->getLayer(0)->getOutput(0));
    std::unique_ptr<IHostMemory> const plan = build();
    ASSERT_NE(plan, nullptr);
    Running running(log, *plan);
    IExecutionContext& context = *running.context;
    context.setErrorRecorder(&recorder);
    float x[] = {1, 2, 3, 4};
    OutputMemory outputs;
    Listener listener;
    ASSERT_TRUE(context.setTensorAddress("x", x));
    ASSERT_TRUE(context.setOutputAllocator("y", &outputs));
    ASSERT_TRUE(context.setDebugListener(&listener));
    ASSERT_TRUE(context.setAllTensorsDebugState(true));
    for (bool const throws : {false, true}) {
        recorder.clear();
        outputs.throws = listener.throws = throws;
        outputs.failure = {0, 0};
        EXPECT_FALSE(context.enqueueV3(nullptr));
        listener.failure = {0, 0};
        EXPECT_FALSE(context.enqueueV3(nullptr));
        EXPECT_EQ(recorder.errors.size(), 2U);
        EXPECT_TRUE(context.enqueueV3(nullptr)) << log.errors();
        EXPECT_EQ(outputs.memory[3], 8.0F);
    }
    EXPECT_THAT(log.errors(), HasSubstr("its output allocator gave no memory"));
    EXPECT_THAT(log.errors(), HasSubstr("no room for outputs"));
    EXPECT_THAT(log.errors(), HasSubstr("the debug listener returned false"));
    EXPECT_THAT(log.errors(), HasSubstr("seen enough"));
    context.setErrorRecorder(nullptr);
}

} // namespace
} // namespace kiln::test
