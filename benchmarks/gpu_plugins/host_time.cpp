// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// gpu_host_time <plan> <cubin> <kernel> <height> <width> <pad> <count>: host time of enqueueV3 of
// an engine with one ahead-of-time kernel, against cuLaunchKernel of the same code in the same
// process. Prints the two medians in microseconds and their difference.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <NvInfer.h>
#include <dlfcn.h>
#include <kiln/device.h>
#include <kiln/kiln.h>

namespace {

class Logger final : public nvinfer1::ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) {
            std::fprintf(stderr, "%s\n", text);
        }
    }
} logger;

void expect(bool right, char const* what) {
    if (!right) {
        std::fprintf(stderr, "gpu_host_time: %s failed\n", what);
        std::exit(1);
    }
}

/// Calls in bursts that the driver's queue takes without waiting.
template <typename Work>
double burstUs(kiln::IDevice& device, cudaStream_t stream, Work&& work) {
    constexpr int kCalls = 200;
    expect(device.synchronize(stream), "waiting");
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) {
        work();
    }
    std::chrono::duration<double, std::micro> const taken =
        std::chrono::steady_clock::now() - start;
    return taken.count() / kCalls;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       cudaStream_t, void**, void**);

} // namespace

int main(int count, char** arguments) {
    expect(count == 8, "reading seven arguments");
    char const* problem = nullptr;
    kiln::IDevice* const device = kiln::openDevice("cuda", &problem);
    expect(device != nullptr, problem);
    std::unique_ptr<nvinfer1::IRuntime> const runtime(nvinfer1::createInferRuntime(logger));
    std::unique_ptr<nvinfer1::ICudaEngine> const engine(kiln::openEngine(*runtime, arguments[1]));
    expect(engine != nullptr, "opening the plan");
    std::unique_ptr<nvinfer1::IExecutionContext> const context(engine->createExecutionContext());
    int numbers[4];
    for (int i = 0; i < 4; ++i) {
        numbers[i] = std::atoi(arguments[4 + i]);
    }
    auto const bytes = static_cast<uint64_t>(numbers[3]) * sizeof(float);
    void* x = device->allocate(bytes);
    void* y = device->allocate(bytes);
    cudaStream_t stream = nullptr;
    expect(device->createStream(&stream), "creating a stream");
    expect(context->setTensorAddress("x", x) && context->setTensorAddress("y", y), "binding");

    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto const load =
        reinterpret_cast<int (*)(void**, void const*)>(dlsym(driver, "cuModuleLoadData"));
    auto const find =
        reinterpret_cast<int (*)(void**, void*, char const*)>(dlsym(driver, "cuModuleGetFunction"));
    auto const launch = reinterpret_cast<Launch>(dlsym(driver, "cuLaunchKernel"));
    std::ifstream file(arguments[2], std::ios::binary);
    std::string const cubin((std::istreambuf_iterator<char>(file)), {});
    void* module = nullptr;
    void* kernel = nullptr;
    expect(load(&module, cubin.data()) == 0 && find(&kernel, module, arguments[3]) == 0, "loading");
    void* parameters[] = {&x, numbers, numbers + 1, numbers + 2, numbers + 3, &y};
    unsigned const blocks = (static_cast<unsigned>(numbers[3]) + 255) / 256;

    auto const run = [&] { expect(context->enqueueV3(stream), "running"); };
    auto const bare = [&] {
        expect(launch(kernel, blocks, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr) == 0,
               "launching");
    };
    std::vector<double> engineUs;
    std::vector<double> bareUs;
    for (int round = 0; round < 201; ++round) {
        engineUs.push_back(burstUs(*device, stream, run));
        bareUs.push_back(burstUs(*device, stream, bare));
    }
    std::printf("%.3f %.3f %.3f\n", median(engineUs), median(bareUs),
                median(engineUs) - median(bareUs));
    device->release(x);
    device->release(y);
    device->destroyStream(stream);
    return 0;
}
