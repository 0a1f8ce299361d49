// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <mutex>

namespace kiln {
namespace {

using Clock = std::chrono::steady_clock;
using Word = std::atomic<uint32_t>;

// Number of loops that can run on the pool at the same time. Further callers run alone.
constexpr std::size_t kSlots = 16;
// How long a thread without work spins before it sleeps: about as long as waking it takes.
constexpr std::chrono::microseconds kIdleSpin{50};
// How long a caller spins while it waits for the last pieces of other threads. Then it sleeps: an
// idle core takes over a helper that has lost its own to another process.
constexpr std::chrono::microseconds kFinishSpin{10};

// Bits of a slot's state: open to helpers, free places for them, caller asleep, helpers inside.
constexpr uint32_t kOpen = 1U << 31;
constexpr uint32_t kPlace = 1U << 16;
constexpr uint32_t kPlaces = kOpen - kPlace;
constexpr uint32_t kAsleep = 1U << 15;
constexpr uint32_t kInside = kAsleep - 1;
constexpr int32_t kMaxHelpers = 1023;

struct alignas(64) Slot {
    Word state{0};
    std::atomic<bool> taken{false};
    PieceLoop loop{}; // written by the owner while the slot is closed and no helper is inside
    alignas(64) std::atomic<int64_t> claimed{0}; ///< pieces, from both ends
    std::atomic<int64_t> fromFront{0};
    std::atomic<int64_t> fromBack{0};
};

/// Never destroyed, because threads read it while the process exits.
struct Pool {
    std::array<Slot, kSlots> slots;
    alignas(64) Word news{0}; ///< incremented for each loop; idle threads sleep on it
    std::atomic<int32_t> sleeping{0};
    std::atomic<int32_t> spinning{0};
    std::atomic<int32_t> threads{0};
    std::atomic<int32_t> promised{0}; ///< to teams
    std::atomic<bool> forked{false};
    std::mutex growing;
};

constinit Pool pool;

void sleepOn(Word& word, uint32_t value) noexcept {
    static_assert(sizeof(Word) == sizeof(uint32_t) && Word::is_always_lock_free);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(Word& word, int32_t count) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Returns whether done() became true within the limit.
template <typename Done>
bool spinUntil(std::chrono::microseconds limit, Done done) noexcept {
    Clock::time_point const start = Clock::now();
    for (;;) {
        for (int i = 0; i < 16; ++i) {
            if (done()) {
                return true;
            }
            pause();
        }
        // No sched_yield(): the scheduler would give a busy process a slice of milliseconds.
        if (Clock::now() - start > limit) {
            return false;
        }
    }
}

/// The caller of a loop takes pieces from the front, helpers from the back. So a loop over the
/// results of another one finds most of them in the cache of the same core.
void runPieces(Slot& slot, bool helps) noexcept {
    PieceLoop const loop = slot.loop;
    while (slot.claimed.fetch_add(1, std::memory_order_relaxed) < loop.pieces) {
        int64_t const index =
            helps ? loop.pieces - 1 - slot.fromBack.fetch_add(1, std::memory_order_relaxed)
                  : slot.fromFront.fetch_add(1, std::memory_order_relaxed);
        loop.piece(loop.context, index);
    }
}

/// Runs pieces of the slot's loop. Returns false if it has no free place.
bool help(Slot& slot) noexcept {
    uint32_t state = slot.state.load(std::memory_order_relaxed);
    do {
        if ((state & kOpen) == 0 || (state & kPlaces) == 0) {
            return false;
        }
    } while (!slot.state.compare_exchange_weak(state, state - kPlace + 1, std::memory_order_acquire,
                                               std::memory_order_relaxed));
    runPieces(slot, true);
    uint32_t const before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kAsleep) != 0 && (before & kInside) == 1) {
        wake(slot.state, 1);
    }
    return true;
}

void waitForNews(uint32_t seen) noexcept {
    auto const changed = [&] { return pool.news.load(std::memory_order_acquire) != seen; };
    pool.spinning.fetch_add(1, std::memory_order_relaxed);
    bool const found = spinUntil(kIdleSpin, changed);
    pool.spinning.fetch_sub(1, std::memory_order_relaxed);
    if (found) {
        return;
    }
    // Sequential consistency: either this thread sees the caller's change of `news`, or the caller
    // sees this thread in `sleeping`.
    pool.sleeping.fetch_add(1, std::memory_order_seq_cst);
    if (pool.news.load(std::memory_order_seq_cst) == seen) {
        sleepOn(pool.news, seen);
    }
    pool.sleeping.fetch_sub(1, std::memory_order_relaxed);
}

void* threadMain(void* /*argument*/) noexcept {
    pthread_setname_np(pthread_self(), "kiln");
    for (;;) {
        uint32_t const seen = pool.news.load(std::memory_order_acquire);
        if (!std::any_of(pool.slots.begin(), pool.slots.end(), help)) {
            waitForNews(seen);
        }
    }
}

/// The threads run the library's code until the process ends, so it must stay loaded.
void keepLibraryLoaded() noexcept {
    Dl_info info;
    if (dladdr(reinterpret_cast<void const*>(&keepLibraryLoaded), &info) != 0) {
        static_cast<void>(dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
    }
}

/// Starts threads until there are `count`, or as many as the system allows. Unless `waits`, returns
/// at once while another caller is starting threads.
void growTo(int32_t count, bool waits) noexcept {
    if (pool.threads.load(std::memory_order_relaxed) >= count) {
        return;
    }
    std::unique_lock lock(pool.growing, std::defer_lock);
    if (waits) {
        lock.lock();
    } else if (!lock.try_lock()) {
        return; // this loop uses the existing threads
    }
    if (pool.threads.load(std::memory_order_relaxed) == 0) {
        keepLibraryLoaded();
    }
    // Block all signals in pool threads: the program's own threads handle them.
    sigset_t all;
    sigset_t previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    while (pool.threads.load(std::memory_order_relaxed) < count) {
        pthread_t thread;
        if (pthread_create(&thread, nullptr, &threadMain, nullptr) != 0) {
            break; // the callers run the pieces themselves
        }
        pthread_detach(thread);
        pool.threads.fetch_add(1, std::memory_order_relaxed);
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

Slot* takeSlot() noexcept {
    for (Slot& slot : pool.slots) {
        if (!slot.taken.load(std::memory_order_relaxed) &&
            !slot.taken.exchange(true, std::memory_order_acquire)) {
            return &slot;
        }
    }
    return nullptr;
}

/// `all`: the loop needs every helper. A spinning thread may choose another loop, so only as many
/// calls as helpers make sure that all come.
void callHelpers(int32_t helpers, bool all) noexcept {
    pool.news.fetch_add(1, std::memory_order_seq_cst);
    int32_t const sleeping = pool.sleeping.load(std::memory_order_seq_cst);
    int32_t const missing = helpers - (all ? 0 : pool.spinning.load(std::memory_order_relaxed));
    if (sleeping > 0 && missing > 0) {
        wake(pool.news, std::min(sleeping, missing));
    }
}

/// Waits until no helper is inside a closed slot.
void waitForHelpers(Slot& slot) noexcept {
    auto const empty = [&] { return (slot.state.load(std::memory_order_acquire) & kInside) == 0; };
    while (!empty() && !spinUntil(kFinishSpin, empty)) {
        uint32_t state = slot.state.fetch_or(kAsleep, std::memory_order_acq_rel) | kAsleep;
        while ((state & kInside) != 0) {
            sleepOn(slot.state, state);
            state = slot.state.load(std::memory_order_acquire);
        }
    }
}

void openSlot(Slot& slot, PieceLoop const& loop, int32_t helpers, bool all) noexcept {
    slot.loop = loop;
    slot.claimed.store(0, std::memory_order_relaxed);
    slot.fromFront.store(0, std::memory_order_relaxed);
    slot.fromBack.store(0, std::memory_order_relaxed);
    slot.state.store(kOpen | static_cast<uint32_t>(helpers) * kPlace, std::memory_order_release);
    callHelpers(helpers, all);
}

/// Runs the remaining pieces and waits for those of others.
void closeSlot(Slot& slot) noexcept {
    runPieces(slot, false);
    slot.state.fetch_and(kInside, std::memory_order_acq_rel);
    waitForHelpers(slot);
    slot.state.store(0, std::memory_order_relaxed);
}

} // namespace

void runOnPool(PieceLoop const& loop, int32_t helpers) noexcept {
    helpers = std::min(helpers, kMaxHelpers);
    Slot* const slot = helpers > 0 ? takeSlot() : nullptr;
    if (slot == nullptr) {
        for (int64_t index = 0; index < loop.pieces; ++index) {
            loop.piece(loop.context, index);
        }
        return;
    }
    growTo(helpers, false);
    openSlot(*slot, loop, helpers, false);
    closeSlot(*slot);
    slot->taken.store(false, std::memory_order_release);
}

// There are at least as many threads as all teams together were promised. A thread waits only
// inside a team, and at most as many as the team has places. So every team gets its helpers: the
// other threads are idle, or in ordinary loops, which end.
Team::Team(int32_t members) noexcept {
    int32_t const helpers = std::min(members - 1, kMaxHelpers);
    Slot* const slot =
        helpers > 0 && !pool.forked.load(std::memory_order_relaxed) ? takeSlot() : nullptr;
    if (slot == nullptr) {
        return;
    }
    int32_t const promised = pool.promised.fetch_add(helpers) + helpers;
    growTo(promised, true);
    if (pool.threads.load(std::memory_order_relaxed) < promised) {
        pool.promised.fetch_sub(helpers);
        slot->taken.store(false, std::memory_order_release);
        return;
    }
    slot_ = slot;
    members_ = helpers + 1;
}

Team::~Team() {
    if (slot_ != nullptr) {
        pool.promised.fetch_sub(members_ - 1);
        static_cast<Slot*>(slot_)->taken.store(false, std::memory_order_release);
    }
}

void Team::start(PieceLoop const& loop) noexcept {
    if (slot_ != nullptr && loop.pieces > 0) {
        openSlot(*static_cast<Slot*>(slot_), loop, static_cast<int32_t>(loop.pieces), true);
    }
}

void Team::finish() noexcept {
    if (slot_ != nullptr) {
        closeSlot(*static_cast<Slot*>(slot_));
    }
}

void forgetPoolThreads() noexcept {
    pool.forked.store(true, std::memory_order_relaxed);
}

} // namespace kiln
