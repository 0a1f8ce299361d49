// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "emulation/shared_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace kiln::emulation {
namespace {

constexpr std::size_t kMost = std::size_t{256} << 10; ///< more than a multiprocessor has
constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 1024; ///< as kernels/threads.cuh asks for

std::size_t given = 0;
std::size_t rounded = 0;

/// The end of the memory, where a guard page begins.
unsigned char* end() {
    static unsigned char* const at = [] {
        void* const pages = mmap(nullptr, kMost + kPage, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) {
            std::abort();
        }
        unsigned char* const guard = static_cast<unsigned char*>(pages) + kMost;
        mprotect(guard, kPage, PROT_NONE);
        return guard;
    }();
    return at;
}

} // namespace

void provideSharedMemory(KilnState& state, std::size_t bytes) {
    given = bytes;
    rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    state.dynamicShared = end() - rounded;
}

void forgetSharedMemory(KilnState const& state) {
    std::memset(state.dynamicShared, kUnknown, rounded);
    if (state.staticShared[0] != nullptr) {
        std::memset(state.staticShared[0], kUnknown,
                    static_cast<std::size_t>(state.staticShared[1] - state.staticShared[0]));
    }
}

bool wroteBehindSharedMemory(KilnState const& state) {
    return std::any_of(state.dynamicShared + given, state.dynamicShared + rounded,
                       [](unsigned char value) { return value != kUnknown; });
}

} // namespace kiln::emulation
