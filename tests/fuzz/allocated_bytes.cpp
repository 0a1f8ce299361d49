// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Replaces the global operator new by one that counts.
#include <atomic>
#include <cstdlib>
#include <new>

#include "fuzz/fuzz_target.h"

namespace {

std::atomic<std::size_t> allocated{0};

} // namespace

std::size_t allocatedBytes() noexcept {
    return allocated;
}

void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    allocated += size;
    return std::malloc(size == 0 ? 1 : size);
}

void* operator new(std::size_t size) {
    void* const memory = operator new(size, std::nothrow);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
