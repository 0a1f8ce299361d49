// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"

namespace kiln::runtime {
namespace {

// Tried in this order. A guard reserves address space only.
constexpr std::array<std::size_t, 2> kGuardBytes{std::size_t{1} << 30U, std::size_t{1} << 20U};
// The part of a guard that a write opens: large, because each part costs a signal.
constexpr std::size_t kOpenedBytes = 1U << 20U;
constexpr std::size_t kAlignment = 64;
constexpr auto kCanary = std::byte{0xa5}; // fills the rest of the pages that hold the memory

std::size_t pageBytes() {
    static auto const bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// A signal handler must not lock or allocate, so it searches a table of fixed size.
std::array<std::atomic<GuardedBlock*>, 1024> blocks;
struct sigaction before{};

void onFault(int number, siginfo_t* info, void* context) {
    for (std::atomic<GuardedBlock*> const& slot : blocks) {
        GuardedBlock* const block = slot.load(std::memory_order_acquire);
        if (block != nullptr && block->ownsGuard(info->si_addr) && block->open(info->si_addr)) {
            return;
        }
    }
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        sigaction(number, &before, nullptr); // the access repeats and ends as without this handler
    }
}

void installHandler() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = &onFault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, &action, &before);
    });
}

} // namespace

bool guardWanted() {
    char const* const value = std::getenv("KILN_GUARD");
    return value != nullptr && std::strcmp(value, "1") == 0;
}

GuardedBlock::GuardedBlock(std::size_t capacity) : capacity_(capacity) {
    dataBytes_ = roundUp(roundUp(capacity, kAlignment) + 1, pageBytes());
    void* memory = MAP_FAILED;
    for (std::size_t i = 0; i < kGuardBytes.size() && memory == MAP_FAILED; ++i) {
        guardBytes_ = kGuardBytes[i];
        memory = mmap(nullptr, dataBytes_ + 2 * guardBytes_, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (memory == MAP_FAILED) {
        fail(ErrorKind::kOutOfMemory,
             "[run] guarded output: no memory for {} bytes. Use smaller shapes, or run without "
             "KILN_GUARD=1.",
             capacity);
    }
    base_ = static_cast<std::byte*>(memory);
    data_ = base_ + guardBytes_;
    installHandler();
    for (std::atomic<GuardedBlock*>& slot : blocks) {
        GuardedBlock* free = nullptr;
        if (slot.compare_exchange_strong(free, this)) {
            break; // if the table is full, only the canary detects writes
        }
    }
}

GuardedBlock::~GuardedBlock() {
    for (std::atomic<GuardedBlock*>& slot : blocks) {
        GuardedBlock* self = this;
        slot.compare_exchange_strong(self, nullptr);
    }
    munmap(base_, dataBytes_ + 2 * guardBytes_);
}

std::byte* GuardedBlock::arm(std::size_t bytes) {
    for (std::atomic<bool>* touched : {&touchedInFront_, &touchedBehind_}) {
        if (touched->exchange(false)) { // frees the memory of pages that were opened
            bool const front = touched == &touchedInFront_;
            madvise(front ? base_ : end(), guardBytes_, MADV_DONTNEED);
        }
    }
    begin_ = end() - roundUp(bytes, kAlignment);
    used_ = begin_ + bytes;
    auto const into = static_cast<std::size_t>(begin_ - data_) / pageBytes() * pageBytes();
    open_ = data_ + std::min(into, dataBytes_ - pageBytes());
    mprotect(base_, static_cast<std::size_t>(open_ - base_), PROT_NONE);
    mprotect(end(), guardBytes_, PROT_NONE);
    if (mprotect(open_, static_cast<std::size_t>(end() - open_), PROT_READ | PROT_WRITE) != 0) {
        fail(ErrorKind::kOutOfMemory,
             "[run] guarded output: no memory for {} bytes. Use smaller shapes, or run without "
             "KILN_GUARD=1.",
             bytes);
    }
    std::fill(open_, begin_, kCanary);
    std::fill(used_, end(), kCanary);
    return begin_;
}

GuardedBlock::Damage GuardedBlock::damage() const {
    auto const changed = [](std::byte value) { return value != kCanary; };
    if (touchedBehind_ || std::any_of(used_, end(), changed)) {
        return Damage::kBehind;
    }
    return touchedInFront_ || std::any_of(open_, begin_, changed) ? Damage::kInFront
                                                                  : Damage::kNone;
}

bool GuardedBlock::ownsGuard(void const* address) const noexcept {
    auto const* const at = static_cast<std::byte const*>(address);
    return (at >= base_ && at < open_) || (at >= end() && at < end() + guardBytes_);
}

bool GuardedBlock::open(void const* address) noexcept {
    auto const* const at = static_cast<std::byte const*>(address);
    bool const front = at < open_;
    std::byte* const first = front ? base_ : end();
    std::byte* const last = front ? open_ : end() + guardBytes_;
    auto const into = static_cast<std::size_t>(at - first) / kOpenedBytes * kOpenedBytes;
    auto const left = static_cast<std::size_t>(last - first) - into;
    (front ? touchedInFront_ : touchedBehind_) = true;
    return mprotect(first + into, std::min(left, kOpenedBytes), PROT_READ | PROT_WRITE) == 0;
}

} // namespace kiln::runtime
