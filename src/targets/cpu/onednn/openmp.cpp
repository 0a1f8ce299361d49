// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libgomp that oneDNN calls. GOMP_parallel_start() starts the other members of the
// team; its caller then runs the body itself as member 0, and calls GOMP_parallel_end(). A region
// inside a region has one member, as in OpenMP by default.
#include "targets/cpu/onednn/openmp.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "targets/cpu/onednn/run_memory.h"

namespace kiln::targets::cpu::onednn {
namespace {

struct Region {
    void (*body)(void*) = nullptr;
    void* data = nullptr;
    int32_t members = 1;
    bool inRun = false;              ///< see InRun
    std::atomic<int32_t> arrived{0}; ///< at the barrier
    std::atomic<uint32_t> passed{0}; ///< barriers that all have passed
};

/// A loop that the members of a region share.
struct SharedLoop {
    long start = 0;
    long step = 1;
    long chunk = 0;
    long count = 0; ///< iterations
    long next = 0;  ///< this member's next iteration; count: none
};

struct Member {
    Region* region = nullptr; ///< null: outside of any
    int32_t number = 0;
    int32_t nested = 0; ///< regions of one member inside
    SharedLoop loop;
};

struct Caller {
    Team* team = nullptr;
    int32_t most = 1; ///< threads that regions may ask for
    Region region;
};

// Both are constant-initialized and trivially destroyed, so that access never allocates.
constinit thread_local Member member;
constinit thread_local Caller caller;

int threadCount() {
    return member.region == nullptr || member.nested > 0 ? 1 : member.region->members;
}

int threadNumber() {
    return member.nested > 0 ? 0 : member.number;
}

int maxThreads() {
    return member.region == nullptr ? caller.most : 1;
}

int inParallel() {
    return member.region != nullptr && member.region->members > 1 ? 1 : 0;
}

void runMember(void const* context, int64_t index) {
    auto* const region = const_cast<Region*>(static_cast<Region const*>(context));
    // The caller of a region may also run the pieces that came too late.
    Member inside;
    inside.region = region;
    inside.number = static_cast<int32_t>(index) + 1;
    Member const outer = std::exchange(member, inside);
    InRun const run(region->inRun);
    region->body(region->data);
    member = outer;
}

void parallelStart(void (*body)(void*), void* data, unsigned threads) {
    if (member.region != nullptr) {
        ++member.nested;
        return;
    }
    int32_t const most = caller.team == nullptr ? 1 : caller.team->members();
    int32_t const wanted = threads == 0 ? most : static_cast<int32_t>(std::min(threads, 65536U));
    Region& region = caller.region;
    region.body = body;
    region.data = data;
    region.members = std::min(wanted, most);
    region.inRun = InRun::now();
    region.arrived.store(0, std::memory_order_relaxed);
    member.region = &region;
    member.number = 0;
    if (region.members > 1) {
        caller.team->start({runMember, &region, region.members - 1});
    }
}

void parallelEnd() {
    if (member.nested > 0) {
        --member.nested;
        return;
    }
    if (caller.region.members > 1) {
        caller.team->finish();
    }
    member.region = nullptr;
}

void barrier() {
    if (threadCount() == 1) {
        return;
    }
    Region& region = *member.region;
    uint32_t const before = region.passed.load(std::memory_order_acquire);
    if (region.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == region.members) {
        region.arrived.store(0, std::memory_order_relaxed);
        region.passed.fetch_add(1, std::memory_order_release);
        return;
    }
    for (int spins = 0; region.passed.load(std::memory_order_acquire) == before; ++spins) {
        if (spins > 1000) {
            sched_yield();
        }
    }
}

/// The member's next share: one even part of all, or every `members`-th chunk.
bool loopNext(long* first, long* last) {
    SharedLoop& loop = member.loop;
    if (loop.next >= loop.count) {
        return false;
    }
    long const members = threadCount();
    long const from = loop.next;
    long to = 0;
    if (loop.chunk <= 0) {
        long const number = threadNumber();
        to = from + loop.count / members + (number < loop.count % members ? 1 : 0);
        loop.next = loop.count;
    } else {
        to = std::min(from + loop.chunk, loop.count);
        loop.next = from + loop.chunk * members;
    }
    *first = loop.start + from * loop.step;
    *last = loop.start + to * loop.step;
    return from < to;
}

bool loopStart(long start, long end, long step, long chunk, long* first, long* last) {
    long const span = step > 0 ? end - start : start - end;
    long const stride = step > 0 ? step : -step;
    long const count = span > 0 ? (span + stride - 1) / stride : 0;
    long const number = threadNumber();
    long const members = threadCount();
    long const share = count / members * number + std::min(number, count % members);
    member.loop = {start, step, chunk, count, chunk <= 0 ? share : chunk * number};
    return loopNext(first, last);
}

} // namespace

KompFunctions const kOpenMp{
    parallelStart, parallelEnd, barrier,  loopStart, loopNext,        maxThreads,     threadCount,
    threadNumber,  inParallel,  allocate, release,   allocateAligned, releaseAligned,
};

OnTeam::OnTeam(Team& team) noexcept
    : outer_(std::exchange(caller.team, &team)),
      outerMost_(std::exchange(caller.most, team.members())) {}

OnTeam::~OnTeam() {
    caller.team = outer_;
    caller.most = outerMost_;
}

ForThreads::ForThreads(int32_t threads) noexcept
    : outer_(std::exchange(caller.team, nullptr)), outerMost_(std::exchange(caller.most, threads)) {
}

ForThreads::~ForThreads() {
    caller.team = outer_;
    caller.most = outerMost_;
}

} // namespace kiln::targets::cpu::onednn
