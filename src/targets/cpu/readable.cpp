// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/readable.h"

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln::targets::cpu {

// This system call is cheap: it reads the word, then fails because the action is invalid.
bool canRead(void const* address) noexcept {
    constexpr std::uintptr_t kWord = 8;
    constexpr int kNoSuchAction = -1;
    std::uintptr_t const word = reinterpret_cast<std::uintptr_t>(address) & ~(kWord - 1);
    return syscall(SYS_rt_sigprocmask, kNoSuchAction, word, nullptr, kWord) == 0 || errno != EFAULT;
}

// Programs load libraries at any time, so look again whenever the number of loads has changed.
bool gpuAddressesExist() noexcept {
    static std::atomic<bool> found{false};
    static std::atomic<unsigned long long> looked{0};
    if (found.load(std::memory_order_relaxed)) {
        return true;
    }
    unsigned long long loads = 0;
    auto const read = [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;
    };
    dl_iterate_phdr(read, &loads);
    if (looked.load(std::memory_order_acquire) != loads) {
        void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver != nullptr) {
            dlclose(driver);
            found.store(true, std::memory_order_relaxed);
        }
        looked.store(loads, std::memory_order_release); // after `found`, for other threads
    }
    return found.load(std::memory_order_relaxed);
}

} // namespace kiln::targets::cpu
