// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Builds a network of one layer, saves nothing, runs it once.
#include <NvInfer.h>
#include <kiln/kiln.h>

#include <cstdio>
#include <memory>

using namespace nvinfer1;

struct Logger : ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) {
            std::puts(text);
        }
    }
};

int main() {
    kiln::setDefaultTarget("cpu"); // the tensors are host arrays
    Logger logger;
    std::unique_ptr<IBuilder> builder{createInferBuilder(logger)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    ITensor* x = network->addInput("x", DataType::kFLOAT, Dims{1, {4}});
    network->markOutput(*network->addActivation(*x, ActivationType::kRELU)->getOutput(0));
    std::unique_ptr<IBuilderConfig> config{builder->createBuilderConfig()};
    std::unique_ptr<IHostMemory> plan{builder->buildSerializedNetwork(*network, *config)};
    std::unique_ptr<IRuntime> runtime{createInferRuntime(logger)};
    std::unique_ptr<ICudaEngine> engine{runtime->deserializeCudaEngine(plan->data(), plan->size())};
    std::unique_ptr<IExecutionContext> context{engine->createExecutionContext()};
    float a[4] = {-1, 2, -3, 4}, b[4];
    void* addresses[] = {a, b};
    context->executeV2(addresses);
    std::printf("%g %g %g %g\n", b[0], b[1], b[2], b[3]); // 0 2 0 4
}
