// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a saved plan, loads the plugin library that it needs, and classifies the digits:
//     classify PLAN LIBRARY digits.f32 labels.u8
// PLAN is a float plan of the demo, LIBRARY its plugin library;
// examples/digits/dataset.py writes the two raw files. Prints the accuracy; exit code 1 if anything
// fails.
#include <NvInferRuntime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

using namespace nvinfer1;

struct Logger : ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) {
            std::fprintf(stderr, "%s\n", text);
        }
    }
};

constexpr int64_t kPixels = 64;
constexpr int64_t kClasses = 10;
constexpr int64_t kBatch = 256;

std::vector<char> readFile(char const* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs one batch of images [count, 1, 8, 8]; writes probabilities [count, 10].
bool runBatch(IExecutionContext& context, float const* images, float* probabilities,
              int64_t count) {
    return context.setInputShape("x", Dims{4, {count, 1, 8, 8}}) &&
           context.setInputTensorAddress("x", images) &&
           context.setTensorAddress("y", probabilities) && context.enqueueV3(nullptr);
}

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("usage: classify PLAN LIBRARY digits.f32 labels.u8\n", stderr);
        return 1;
    }
    std::vector<char> const plan = readFile(argv[1]), pixels = readFile(argv[3]),
                            labels = readFile(argv[4]);
    auto const total = static_cast<int64_t>(labels.size());
    if (total == 0 || pixels.size() != total * kPixels * sizeof(float)) {
        std::fprintf(stderr, "expected one label for each 64 floats, got %zu labels, %zu bytes\n",
                     labels.size(), pixels.size());
        return 1;
    }
    Logger logger;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(logger)};
    if (runtime->getPluginRegistry().loadLibrary(argv[2]) == nullptr) {
        return 1;
    }
    std::unique_ptr<ICudaEngine> engine{runtime->deserializeCudaEngine(plan.data(), plan.size())};
    if (engine == nullptr) {
        return 1;
    }
    std::unique_ptr<IExecutionContext> context{engine->createExecutionContext()};
    auto const* images = reinterpret_cast<float const*>(pixels.data());
    std::vector<float> probabilities(total * kClasses);
    for (int64_t first = 0; first < total; first += kBatch) {
        int64_t const count = std::min(kBatch, total - first);
        if (!runBatch(*context, images + first * kPixels, &probabilities[first * kClasses],
                      count)) {
            return 1;
        }
    }
    int64_t right = 0;
    for (int64_t i = 0; i < total; ++i) {
        float const* row = &probabilities[i * kClasses];
        right += std::max_element(row, row + kClasses) - row == labels[i];
    }
    std::printf("%lld of %lld digits are right (%.2f %%)\n", static_cast<long long>(right),
                static_cast<long long>(total), 100.0 * right / total);
}
