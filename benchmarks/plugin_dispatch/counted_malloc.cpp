// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// glibc's allocator with a call counter. The executable's functions take precedence over those of
// libc for every library in the process; operator new also calls them.
#include "counted_malloc.h"

#include <atomic>
#include <cstddef>

namespace {

std::atomic<int64_t> calls{0};

} // namespace

int64_t allocationCount() noexcept {
    return calls.load();
}

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);

void* malloc(std::size_t bytes) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return __libc_realloc(memory, bytes);
}

} // extern "C"
