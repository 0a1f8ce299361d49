// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// gpu_host_time <plan> <cubin> <kernel> <height> <width> <pad> <count>: compares the host time of
// enqueueV3 of an engine with one ahead-of-time kernel with cuLaunchKernel of the same code in the
// same process. Prints the two medians in microseconds and their difference.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include <NvInfer.h>
#include <dlfcn.h>
#include <kiln/device.h>
#include <kiln/kiln.h>

#include "rivals.h"

namespace {

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       cudaStream_t, void**, void**);

} // namespace

int main(int count, char** arguments) {
    expect(count == 8, "reading seven arguments");
    char const* problem = nullptr;
    kiln::IDevice* const device = kiln::openDevice("cuda", &problem);
    expect(device != nullptr, problem);
    Logger logger;
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
    auto const [engineUs, bareUs] =
        inTurns(201, [&](auto& work) { return burstUs(*device, stream, work); }, run, bare);
    std::printf("%.3f %.3f %.3f\n", engineUs, bareUs, engineUs - bareUs);
    device->release(x);
    device->release(y);
    device->destroyStream(stream);
    return 0;
}
