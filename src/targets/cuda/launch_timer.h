// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

/// The algorithm to take of those that were timed: the fastest, or one that is almost as fast with
/// less workspace. Null if there is none. Timed: has milliseconds and workspaceBytes.
template <typename Timed>
Timed* bestOf(std::vector<Timed>& all) {
    constexpr double kAlmost = 1.03;
    constexpr std::size_t kUnit = std::size_t{512} << 10; // less does not matter
    double least = -1.0;
    for (Timed const& timed : all) {
        least = least < 0.0 ? timed.milliseconds : std::min(least, timed.milliseconds);
    }
    auto const cost = [](Timed const& timed) {
        return std::pair((timed.workspaceBytes + kUnit - 1) / kUnit, timed.milliseconds);
    };
    Timed* best = nullptr;
    for (Timed& timed : all) {
        if (timed.milliseconds <= kAlmost * least &&
            (best == nullptr || cost(timed) < cost(*best))) {
            best = &timed;
        }
    }
    return best;
}

/// How many copies of weights of this size are used in turn when a kernel is timed, so that it
/// reads them from memory as in a network, and not from the L2 cache.
inline int rotationFor(std::size_t bytes) {
    constexpr std::size_t kCache = std::size_t{64} << 20;
    constexpr std::size_t kMostCopies = 64; // of smaller weights, latency is what counts
    std::size_t const copies = bytes == 0 ? 1 : (kCache + bytes - 1) / bytes;
    return copies > kMostCopies ? 1 : static_cast<int>(copies);
}

/// Distance of these copies in memory: all are aligned as the first one is.
inline std::size_t rotationStride(std::size_t bytes) {
    return roundUp(bytes, 256);
}

/// Times work on a stream of its own, for choices among the algorithms of a library.
class LaunchTimer {
public:
    LaunchTimer() {
        check(scope_->streamCreate(&stream_, 1), "create a stream for timing"); // non-blocking
        check(scope_->eventCreate(&start_, 0), "create an event for timing");
        check(scope_->eventCreate(&stop_, 0), "create an event for timing");
    }
    ~LaunchTimer() {
        if (start_ != nullptr) {
            scope_->eventDestroy(start_);
        }
        if (stop_ != nullptr) {
            scope_->eventDestroy(stop_);
        }
        scope_->streamDestroy(stream_);
    }
    LaunchTimer(LaunchTimer const&) = delete;
    LaunchTimer& operator=(LaunchTimer const&) = delete;

    CUstream stream() const noexcept { return stream_; }

    /// Milliseconds of one launch: the least of several rounds of a few launches. They are recorded
    /// into a graph, so that a small kernel does not wait for the host. `launch(i)` enqueues the
    /// i-th, on the i-th of `rotation` sets of operands, and returns whether it could; if not, the
    /// result is negative.
    template <typename Launch>
    double milliseconds(Launch&& launch, int rotation = 1) {
        if (!launch(0) || scope_->streamSynchronize(stream_) != CUDA_SUCCESS) {
            return -1.0;
        }
        constexpr double kRoundMs = 0.2; // hides the delay of starting work
        constexpr int kRounds = 4;
        double const first = round([&] { launch(0); });
        int const wanted = static_cast<int>(kRoundMs / std::max(first, 1e-3));
        int const launches = std::max(std::clamp(wanted, 1, 32), rotation);
        auto const all = [&] {
            for (int i = 0; i < launches; ++i) {
                launch(i);
            }
        };
        CUgraphExec const graph = recorded(all);
        double best = 0.0;
        for (int i = 0; i < kRounds; ++i) {
            double const elapsed = graph == nullptr ? round(all) : round([&] {
                check(scope_->graphLaunch(graph, stream_), "launch a graph");
            });
            best = i == 0 ? elapsed : std::min(best, elapsed);
        }
        if (graph != nullptr) {
            scope_->graphExecDestroy(graph);
        }
        return best / launches;
    }

private:
    /// A graph of this work; null if it cannot be recorded.
    template <typename Work>
    CUgraphExec recorded(Work&& work) {
        if (scope_->streamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS) {
            return nullptr;
        }
        work();
        CUgraph graph = nullptr;
        if (scope_->streamEndCapture(stream_, &graph) != CUDA_SUCCESS || graph == nullptr) {
            return nullptr;
        }
        CUgraphExec executable = nullptr;
        bool const usable = scope_->graphInstantiate(&executable, graph, 0) == CUDA_SUCCESS;
        scope_->graphDestroy(graph);
        return usable ? executable : nullptr;
    }

    template <typename Work>
    double round(Work&& work) {
        check(scope_->eventRecord(start_, stream_), "record an event");
        work();
        check(scope_->eventRecord(stop_, stream_), "record an event");
        check(scope_->streamSynchronize(stream_), "time a kernel");
        float elapsed = 0.0F;
        check(scope_->eventElapsedTime(&elapsed, start_, stop_), "read a time");
        return static_cast<double>(elapsed);
    }

    GpuScope scope_;
    CUstream stream_ = nullptr;
    CUevent start_ = nullptr;
    CUevent stop_ = nullptr;
};

} // namespace kiln::targets::cuda
