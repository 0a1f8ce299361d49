// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the C++ programs: checks, and timing of two functions in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <NvInfer.h>
#include <kiln/device.h>

class Logger final : public nvinfer1::ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) {
            std::fprintf(stderr, "%s\n", text);
        }
    }
};

inline void expect(bool right, char const* what) {
    if (!right) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(1);
    }
}

/// Microseconds per call on the host, in a burst that fits the driver's queue.
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

/// The medians of measure(a) and measure(b).
template <typename Measure, typename A, typename B>
std::pair<double, double> inTurns(int rounds, Measure&& measure, A&& a, B&& b) {
    std::vector<double> ofA;
    std::vector<double> ofB;
    for (int round = 0; round < rounds; ++round) {
        ofA.push_back(measure(a));
        ofB.push_back(measure(b));
    }
    auto const median = [](std::vector<double>& values) {
        auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    return {median(ofA), median(ofB)};
}
