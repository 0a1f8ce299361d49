// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/watchers.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "target/backend_registry.h"

namespace kiln::runtime {
namespace {

using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Profiler final : nvinfer1::IProfiler {
    void reportLayerTime(char const* layer, float) noexcept override { layers.push_back(layer); }
    std::vector<std::string> layers;
};

struct Listener final : nvinfer1::IDebugListener {
    bool processDebugTensor(void const* address, nvinfer1::TensorLocation, nvinfer1::DataType,
                            nvinfer1::Dims const& shape, char const* name, cudaStream_t) override {
        seen.push_back(fmt::format("{} {} {}", name, toText(shape), address == expected));
        return agrees;
    }
    void const* expected = nullptr;
    bool agrees = true;
    std::vector<std::string> seen;
};

struct Allocator final : nvinfer1::IOutputAllocator {
    void* reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t,
                                cudaStream_t) override {
        bytes = size;
        return memory;
    }
    void notifyShape(char const*, nvinfer1::Dims const&) noexcept override {}
    void* memory = nullptr;
    uint64_t bytes = 0;
};

/// x -> "a" -> middle, which may be debugged -> "b" -> y.
class WatchersTest : public ::testing::Test {
protected:
    static plan::Document chain() {
        plan::Document document;
        document.tensors.resize(3);
        document.tensors[0].role = plan::TensorRole::kInput;
        document.tensors[1].name = "middle";
        document.tensors[1].debug = true;
        document.tensors[2].name = "y";
        document.tensors[2].role = plan::TensorRole::kOutput;
        document.steps.resize(2);
        for (std::size_t i = 0; i < 2; ++i) {
            document.steps[i].name = i == 0 ? "a" : "b";
            document.steps[i].inputs = {plan::TensorId(i)};
            document.steps[i].outputs = {plan::TensorId(i + 1)};
        }
        return document;
    }
    void run() {
        for (std::size_t step = 0; step < 2; ++step) {
            watchers.beforeStep(step, nullptr);
            watchers.afterStep(step, nullptr);
            watchers.show(step, dims, addresses, nullptr);
        }
        watchers.afterRun(nullptr);
    }

    plan::Document document = chain();
    Watchers watchers{*target::BackendRegistry::instance().open("cpu").device(), document};
    Table<plan::TensorId, Dims> dims = Table<plan::TensorId, Dims>(3, makeDims({2, 3}));
    int memory = 0;
    Table<plan::TensorId, void*> addresses = Table<plan::TensorId, void*>(3, &memory);
};

TEST_F(WatchersTest, ProfilersGetEachLayerOnceOrOnRequest) {
    Profiler profiler;
    EXPECT_FALSE(watchers.any());
    EXPECT_FALSE(watchers.reportTimes());
    watchers.setProfiler(&profiler);
    EXPECT_TRUE(watchers.any());
    EXPECT_FALSE(watchers.reportTimes());
    run();
    EXPECT_THAT(profiler.layers, ElementsAre("a", "b"));
    watchers.setReportEachRun(false);
    run();
    EXPECT_EQ(profiler.layers.size(), 2U);
    EXPECT_TRUE(watchers.reportTimes());
    EXPECT_THAT(profiler.layers, ElementsAre("a", "b", "a", "b"));
    watchers.setProfiler(nullptr);
    EXPECT_FALSE(watchers.any());
}

TEST_F(WatchersTest, ListenersSeeTheTensorsThatAreOn) {
    Listener listener;
    listener.expected = &memory;
    watchers.setListener(&listener);
    EXPECT_FALSE(watchers.any());
    run();
    EXPECT_TRUE(listener.seen.empty());
    watchers.setDebugState("middle", true);
    EXPECT_TRUE(watchers.any());
    EXPECT_TRUE(watchers.debugState("middle"));
    run();
    EXPECT_THAT(listener.seen, ElementsAre("middle [2,3] true"));
    listener.agrees = false;
    EXPECT_THAT(errorOf(ErrorKind::kInvalidState, [&] { run(); }),
                HasSubstr("the debug listener returned false"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { watchers.setDebugState("y", true); }),
                HasSubstr("expected a tensor that was marked for debugging"));
}

TEST_F(WatchersTest, AllocatorsGiveMemoryForOutputs) {
    Allocator allocator;
    allocator.memory = &memory;
    watchers.setAllocator(2, &allocator);
    EXPECT_TRUE(watchers.any());
    EXPECT_EQ(watchers.allocator(2), &allocator);
    EXPECT_EQ(watchers.reallocate(2, nullptr, dims[2], nullptr), &memory);
    EXPECT_EQ(allocator.bytes, 24U);
    allocator.memory = nullptr;
    EXPECT_THAT(errorOf(ErrorKind::kOutOfMemory,
                        [&] { watchers.reallocate(2, nullptr, dims[2], nullptr); }),
                HasSubstr("its output allocator gave no memory for 24 bytes"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { watchers.setAllocator(0, &allocator); }),
                HasSubstr("expected an output, got an input"));
    watchers.setAllocator(2, nullptr);
    EXPECT_EQ(watchers.allocator(2), nullptr);
    EXPECT_FALSE(watchers.any());
}

TEST_F(WatchersTest, OnTheHostNothingWaits) {
    watchers.setSync(true);
    watchers.setConsumedEvent(reinterpret_cast<target::EventHandle>(&memory));
    EXPECT_FALSE(watchers.any());
}

} // namespace
} // namespace kiln::runtime
