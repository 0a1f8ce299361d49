// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/thread_pool.h"

namespace kiln {
namespace {

// More pieces than threads: if a thread starts late or loses its core, the others wait for less
// work.
constexpr int64_t kPiecesOfAThread = 4;

struct Ranges {
    RangeFunction run;
    void* context;
    int64_t count;
    int64_t pieces;
};

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
        // Threads do not survive fork, so a child process runs everything on its calling thread.
        pthread_atfork(nullptr, nullptr, [] {
            forked.store(true);
            forgetPoolThreads();
        });
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
    int64_t const threads = threadCount();
    int64_t const most = count / std::max<int64_t>(1, grain);
    if (threads < 2 || most < 2) {
        run(context, 0, count);
        return;
    }
    // The same number of pieces for each thread, if there are enough.
    int64_t const pieces =
        most < threads ? most : std::min(most / threads, kPiecesOfAThread) * threads;
    Ranges const ranges{run, context, count, pieces};
    auto const piece = [](void const* all, int64_t index) {
        auto const& r = *static_cast<Ranges const*>(all);
        r.run(r.context, r.count * index / r.pieces, r.count * (index + 1) / r.pieces);
    };
    int64_t const helpers = std::min(threads, pieces) - 1;
    runOnPool({piece, &ranges, pieces}, static_cast<int32_t>(helpers));
}

} // namespace kiln
