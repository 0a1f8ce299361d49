// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "exhaustion/failing_memory.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

using kiln::test::Failing;

enum State : int { kOff, kCounting, kFailOne, kFailFrom };

std::atomic<int> state{kOff};
std::atomic<int64_t> asked{0};
std::atomic<int64_t> wanted{0};
std::atomic<int64_t> live{0};

bool refused() noexcept {
    int const now = state.load(std::memory_order_relaxed);
    if (now == kOff) {
        return false;
    }
    int64_t const number = asked.fetch_add(1, std::memory_order_relaxed);
    int64_t const at = wanted.load(std::memory_order_relaxed);
    bool const fails = (now == kFailOne && number == at) || (now == kFailFrom && number >= at);
    if (fails) {
        errno = ENOMEM;
    }
    return fails;
}

void* counted(void* memory) noexcept {
    if (memory != nullptr) {
        live.fetch_add(static_cast<int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
    }
    return memory;
}

void uncount(void* memory) noexcept {
    if (memory != nullptr) {
        live.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
    }
}

} // namespace

namespace kiln::test {

void failMemory(Failing mode, int64_t number) noexcept {
    asked = 0;
    wanted = number;
    state = mode == Failing::kOne ? kFailOne : kFailFrom;
}

void countMemory() noexcept {
    asked = 0;
    state = kCounting;
}

int64_t mendMemory() noexcept {
    state = kOff;
    return asked;
}

int64_t liveBytes() noexcept {
    return live;
}

} // namespace kiln::test

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
    void* const memory = refused() ? nullptr : counted(std::malloc(size == 0 ? 1 : size));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void operator delete(void* memory) noexcept {
    uncount(memory);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

#else

// The C library's own functions, under their internal names.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) {
    return refused() ? nullptr : counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) {
    return refused() ? nullptr : counted(__libc_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) {
    if (refused()) {
        return nullptr;
    }
    uncount(memory);
    return counted(__libc_realloc(memory, size));
}
void* memalign(std::size_t alignment, std::size_t size) {
    return refused() ? nullptr : counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    *memory = memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
    uncount(memory);
    __libc_free(memory);
}
}

#endif
