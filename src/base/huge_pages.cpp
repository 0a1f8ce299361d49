// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/checked.h"

namespace kiln {
namespace {

std::size_t wholePages(std::size_t bytes) {
    return roundUp(bytes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

} // namespace

void useHugePages(void* memory, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    auto const begin = reinterpret_cast<std::uintptr_t>(memory);
    std::size_t const skipped = (kHugePage - begin % kHugePage) % kHugePage;
    if (skipped + kHugePage <= bytes) {
        ::madvise(static_cast<std::byte*>(memory) + skipped,
                  (bytes - skipped) / kHugePage * kHugePage, MADV_HUGEPAGE);
    }
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

void* mapMemory(std::size_t bytes) noexcept {
    if (bytes > SIZE_MAX / 2) {
        return nullptr;
    }
    std::size_t const size = wholePages(bytes);
    void* const mapped = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    auto* const begin = static_cast<std::byte*>(mapped);
    std::size_t const skipped =
        roundUp(reinterpret_cast<std::uintptr_t>(mapped), std::uintptr_t{kHugePage}) -
        reinterpret_cast<std::uintptr_t>(mapped);
    if (skipped > 0) {
        ::munmap(begin, skipped);
    }
    ::munmap(begin + skipped + size, kHugePage - skipped);
    useHugePages(begin + skipped, size);
    return begin + skipped;
}

void unmapMemory(void* memory, std::size_t bytes) noexcept {
    ::munmap(memory, wholePages(bytes));
}

} // namespace kiln
