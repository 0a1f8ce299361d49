// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace kiln {
namespace {

std::atomic<bool> forked{false};

int32_t defaultCount() noexcept {
    if (char const* text = std::getenv("KILN_NUM_THREADS")) {
        long const wanted = std::strtol(text, nullptr, 10);
        if (wanted > 0) {
            return static_cast<int32_t>(std::min<long>(wanted, 1024));
        }
    }
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        return std::max(1, CPU_COUNT(&allowed));
    }
    return 1;
}

std::atomic<int32_t>& configured() noexcept {
    static std::atomic<int32_t> count = [] {
        // The pool of OpenMP does not survive fork: a child that used it would wait for ever.
        pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
        return defaultCount();
    }();
    return count;
}

} // namespace

int32_t threadCount() noexcept {
    return forked.load(std::memory_order_relaxed) ? 1
                                                  : configured().load(std::memory_order_relaxed);
}

void setThreadCount(int32_t count) noexcept {
    configured().store(count > 0 ? std::min(count, 1024) : defaultCount());
}

void parallelRanges(int64_t count, int64_t grain, RangeFunction run, void* context) {
    if (count <= 0) {
        return;
    }
    int64_t const pieces =
        std::min<int64_t>(threadCount(), std::max<int64_t>(1, count / std::max<int64_t>(1, grain)));
    if (pieces < 2) {
        run(context, 0, count);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(static_cast<int>(pieces))
#endif
    for (int64_t piece = 0; piece < pieces; ++piece) {
        run(context, count * piece / pieces, count * (piece + 1) / pieces);
    }
}

} // namespace kiln
