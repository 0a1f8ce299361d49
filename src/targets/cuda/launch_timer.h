// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

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

    /// Milliseconds of one launch: the least of several rounds of a few launches. `launch` returns
    /// whether the work was enqueued; a negative result says that it was not.
    template <typename Launch>
    double milliseconds(Launch&& launch) {
        if (!launch() || scope_->streamSynchronize(stream_) != CUDA_SUCCESS) {
            return -1.0;
        }
        constexpr double kRoundMs = 0.2; // hides the delay of starting work
        constexpr int kRounds = 4;
        double const first = round(launch, 1);
        int const launches = std::clamp(static_cast<int>(kRoundMs / std::max(first, 1e-3)), 1, 32);
        double best = first;
        for (int i = 0; i < kRounds; ++i) {
            double const elapsed = round(launch, launches);
            best = std::min(best, elapsed);
        }
        return best;
    }

private:
    template <typename Launch>
    double round(Launch&& launch, int launches) {
        check(scope_->eventRecord(start_, stream_), "record an event");
        for (int i = 0; i < launches; ++i) {
            launch();
        }
        check(scope_->eventRecord(stop_, stream_), "record an event");
        check(scope_->streamSynchronize(stream_), "time a kernel");
        float elapsed = 0.0F;
        check(scope_->eventElapsedTime(&elapsed, start_, stop_), "read a time");
        return static_cast<double>(elapsed) / launches;
    }

    GpuScope scope_;
    CUstream stream_ = nullptr;
    CUevent start_ = nullptr;
    CUevent stop_ = nullptr;
};

} // namespace kiln::targets::cuda
