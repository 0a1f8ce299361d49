// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs an engine like a program for a GPU, with memory, copies and a stream of the CUDA runtime. On
// the cpu target, Kiln provides that runtime over host memory.
#include <NvInfer.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace nvinfer1;

struct Logger : ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) {
            std::puts(text);
        }
    }
};

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        std::exit(1);
    }
}

// y = relu(x), four elements.
std::unique_ptr<IHostMemory> build(Logger& logger) {
    std::unique_ptr<IBuilder> builder{createInferBuilder(logger)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    ITensor* x = network->addInput("x", DataType::kFLOAT, Dims{1, {4}});
    ITensor* y = network->addActivation(*x, ActivationType::kRELU)->getOutput(0);
    y->setName("y");
    network->markOutput(*y);
    std::unique_ptr<IBuilderConfig> config{builder->createBuilderConfig()};
    return std::unique_ptr<IHostMemory>{builder->buildSerializedNetwork(*network, *config)};
}

int main() {
    Logger logger;
    std::unique_ptr<IHostMemory> plan = build(logger);
    std::unique_ptr<IRuntime> runtime{createInferRuntime(logger)};
    std::unique_ptr<ICudaEngine> engine{runtime->deserializeCudaEngine(plan->data(), plan->size())};
    std::unique_ptr<IExecutionContext> context{engine->createExecutionContext()};

    float values[4] = {-1, 2, -3, 4};
    float *x, *y;
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    check(cudaMalloc(&x, sizeof values));
    check(cudaMalloc(&y, sizeof values));
    check(cudaMemcpyAsync(x, values, sizeof values, cudaMemcpyHostToDevice, stream));
    context->setTensorAddress("x", x);
    context->setTensorAddress("y", y);
    context->enqueueV3(stream);
    check(cudaMemcpyAsync(values, y, sizeof values, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    std::printf("%g %g %g %g\n", values[0], values[1], values[2], values[3]); // 0 2 0 4
    check(cudaFree(x));
    check(cudaFree(y));
    check(cudaStreamDestroy(stream));
}
