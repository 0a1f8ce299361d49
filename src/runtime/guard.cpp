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

constexpr std::size_t kGuardBytes = 1U << 20U;
constexpr std::size_t kAlignment = 64;
constexpr auto kCanary = std::byte{0xa5}; // between the last byte and the first guarded one

// A handler may neither lock nor allocate: it looks through a table of fixed size.
std::array<std::atomic<GuardedBlock*>, 1024> blocks;
struct sigaction before{};

void onFault(int number, siginfo_t* info, void* context) {
    for (std::atomic<GuardedBlock*> const& slot : blocks) {
        GuardedBlock* const block = slot.load(std::memory_order_acquire);
        if (block != nullptr && block->ownsGuard(info->si_addr)) {
            block->open();
            return;
        }
    }
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        sigaction(number, &before, nullptr); // the access is repeated and ends as it would have
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
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    dataBytes_ = roundUp(roundUp(capacity, kAlignment) + 1, page);
    void* const memory = mmap(nullptr, dataBytes_ + kGuardBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fail(ErrorKind::kOutOfMemory, "[run] guarded output: no memory for {} bytes.", capacity);
    }
    base_ = static_cast<std::byte*>(memory);
    installHandler();
    for (std::atomic<GuardedBlock*>& slot : blocks) {
        GuardedBlock* free = nullptr;
        if (slot.compare_exchange_strong(free, this)) {
            break; // a table that is full leaves the canary
        }
    }
}

GuardedBlock::~GuardedBlock() {
    for (std::atomic<GuardedBlock*>& slot : blocks) {
        GuardedBlock* self = this;
        slot.compare_exchange_strong(self, nullptr);
    }
    munmap(base_, dataBytes_ + kGuardBytes);
}

std::byte* GuardedBlock::arm(std::size_t bytes) {
    touched_ = false;
    std::byte* const end = base_ + dataBytes_;
    std::byte* const begin = end - roundUp(bytes, kAlignment);
    used_ = begin + bytes;
    std::fill(used_, end, kCanary);
    mprotect(end, kGuardBytes, PROT_NONE);
    return begin;
}

bool GuardedBlock::overrun() const {
    for (std::byte const* at = used_; at != base_ + dataBytes_; ++at) {
        if (*at != kCanary) {
            return true;
        }
    }
    return touched_;
}

bool GuardedBlock::ownsGuard(void const* address) const noexcept {
    auto const* const at = static_cast<std::byte const*>(address);
    return at >= base_ + dataBytes_ && at < base_ + dataBytes_ + kGuardBytes;
}

void GuardedBlock::open() noexcept {
    touched_ = true;
    mprotect(base_ + dataBytes_, kGuardBytes, PROT_READ | PROT_WRITE);
}

} // namespace kiln::runtime
