// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/gather.h"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "base/thread_pool.h"

namespace kiln {
namespace {

using Clock = std::chrono::steady_clock;

struct Meeting {
    int32_t expected;
    Clock::time_point end;
    std::atomic<int32_t> arrived{0};

    void arrive() noexcept {
        arrived.fetch_add(1, std::memory_order_relaxed);
        while (!isComplete() && Clock::now() < end) {
        }
    }
    bool isComplete() const noexcept { return arrived.load(std::memory_order_relaxed) >= expected; }
};

} // namespace

int32_t gatherableThreads() noexcept {
    cpu_set_t allowed;
    int32_t const cores =
        sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : threadCount();
    return std::clamp(cores, 1, threadCount());
}

bool gatherThreads(int32_t threads, std::chrono::microseconds limit) noexcept {
    Team team(threads);
    if (team.members() < threads) {
        return false;
    }
    Meeting meeting{threads, Clock::now() + limit};
    auto const piece = [](void const* context, int64_t) {
        const_cast<Meeting*>(static_cast<Meeting const*>(context))->arrive();
    };
    team.start({piece, &meeting, threads - 1});
    meeting.arrive();
    bool const met = meeting.isComplete();
    team.finish(); // the caller runs the pieces of those that did not come
    return met;
}

} // namespace kiln
