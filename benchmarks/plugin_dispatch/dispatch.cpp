// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the engine adds to a C++ plugin: cost per plugin in a chain of 200 over a virtual call of
// the same enqueue(), cost of an execute call with one plugin, build and open times, allocations
// per call. Both sides of a ratio are measured in turns in one run; medians are printed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include <NvInfer.h>

#include "counted_malloc.h"
#include "empty_plugin.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kChain = 200;
constexpr int kRounds = 31;

struct Logger final : nvinfer1::ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) {
            std::printf("%s\n", text);
        }
    }
};

Logger logger;

double nanoseconds(std::function<void()> const& work) {
    Clock::time_point const start = Clock::now();
    work();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

std::unique_ptr<nvinfer1::IHostMemory> buildChain(int length) {
    std::unique_ptr<nvinfer1::IBuilder> builder(nvinfer1::createInferBuilder(logger));
    std::unique_ptr<nvinfer1::INetworkDefinition> network(builder->createNetworkV2(0));
    nvinfer1::ITensor* tensor =
        network->addInput("x", nvinfer1::DataType::kFLOAT, nvinfer1::Dims2{4, 8});
    for (int i = 0; i < length; ++i) {
        EmptyPlugin plugin;
        tensor = network->addPluginV3(&tensor, 1, nullptr, 0, plugin)->getOutput(0);
    }
    tensor->setName("y");
    network->markOutput(*tensor);
    std::unique_ptr<nvinfer1::IBuilderConfig> config(builder->createBuilderConfig());
    return std::unique_ptr<nvinfer1::IHostMemory>(
        builder->buildSerializedNetwork(*network, *config));
}

/// An engine of a chain, ready to run.
struct Session {
    explicit Session(int length)
        : plan(buildChain(length)), runtime(nvinfer1::createInferRuntime(logger)),
          engine(runtime->deserializeCudaEngine(plan->data(), plan->size())),
          context(engine->createExecutionContext()) {
        context->setTensorAddress("x", input);
        context->setTensorAddress("y", output);
        context->enqueueV3(nullptr);
    }

    float input[32] = {};
    float output[32] = {};
    std::unique_ptr<nvinfer1::IHostMemory> plan;
    std::unique_ptr<nvinfer1::IRuntime> runtime;
    std::unique_ptr<nvinfer1::ICudaEngine> engine;
    std::unique_ptr<nvinfer1::IExecutionContext> context;
};

/// Calls the plugins of a chain directly, as a program without an engine would.
struct DirectCalls {
    DirectCalls() : plugins(kChain) {
        for (auto& plugin : plugins) {
            plugin = std::make_unique<EmptyPlugin>();
        }
    }
    void run() {
        void const* inputs[] = {buffer};
        void* outputs[] = {buffer};
        for (auto& plugin : plugins) {
            plugin->enqueue(&desc, &desc, inputs, outputs, nullptr, nullptr);
        }
    }
    std::vector<std::unique_ptr<nvinfer1::IPluginV3OneRuntime>> plugins;
    nvinfer1::PluginTensorDesc desc{};
    float buffer[32] = {};
};

void report(char const* what, double value, char const* unit, double limit) {
    std::printf("%-58s %10.3f %s   target <= %.0f %s  %s\n", what, value, unit, limit, unit,
                value <= limit ? "met" : "MISSED");
}

void chain() {
    Session session(kChain);
    DirectCalls direct;
    std::vector<double> engineTimes;
    std::vector<double> directTimes;
    constexpr int kRepeats = 500;
    for (int round = 0; round < kRounds; ++round) {
        engineTimes.push_back(nanoseconds([&] {
                                  for (int i = 0; i < kRepeats; ++i) {
                                      session.context->enqueueV3(nullptr);
                                  }
                              }) /
                              (kRepeats * kChain));
        directTimes.push_back(nanoseconds([&] {
                                  for (int i = 0; i < kRepeats; ++i) {
                                      direct.run();
                                  }
                              }) /
                              (kRepeats * kChain));
    }
    double const inEngine = median(engineTimes);
    double const bare = median(directTimes);
    std::printf(
        "C++ plugin in a chain of %d: %.2f ns a plugin; called directly: %.2f ns; ratio %.1f\n",
        kChain, inEngine, bare, inEngine / bare);
    report("  added cost per C++ plugin", inEngine - bare, "ns", 50);
}

void single() {
    Session session(1);
    std::vector<double> times;
    constexpr int kRepeats = 20000;
    for (int round = 0; round < kRounds; ++round) {
        times.push_back(nanoseconds([&] {
                            for (int i = 0; i < kRepeats; ++i) {
                                session.context->enqueueV3(nullptr);
                            }
                        }) /
                        kRepeats);
    }
    report("execute call with one empty C++ plugin", median(times), "ns", 200);
    int64_t const before = allocationCount();
    int64_t const calls = EmptyPlugin::calls;
    for (int i = 0; i < 1'000'000; ++i) {
        session.context->enqueueV3(nullptr);
    }
    std::printf("allocations in %lld calls of an unchanged shape: %lld\n",
                static_cast<long long>(EmptyPlugin::calls - calls),
                static_cast<long long>(allocationCount() - before));
}

void buildAndOpen() {
    std::vector<double> builds;
    std::vector<double> opens;
    std::unique_ptr<nvinfer1::IRuntime> runtime(nvinfer1::createInferRuntime(logger));
    std::unique_ptr<nvinfer1::IHostMemory> const plan = buildChain(1);
    for (int round = 0; round < kRounds; ++round) {
        builds.push_back(nanoseconds([] { buildChain(1); }));
        opens.push_back(nanoseconds(
            [&] { delete runtime->deserializeCudaEngine(plan->data(), plan->size()); }));
    }
    report("build an engine of one plugin", median(builds) / 1e6, "ms", 10);
    report("open it", median(opens) / 1e6, "ms", 1);
}

} // namespace

int main() {
    EmptyCreator creator;
    nvinfer1::IPluginCreatorInterface& base = creator;
    getPluginRegistry()->registerCreator(base, "");
    chain();
    single();
    buildAndOpen();
    return 0;
}
