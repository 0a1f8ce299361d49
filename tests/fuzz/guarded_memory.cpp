// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/guarded_memory.h"

#include <cstdlib>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace kiln::test {

GuardedMemory::GuardedMemory(std::size_t bytes) {
    constexpr std::size_t kAlignment = 16;
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t const used = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    std::size_t const inside = (used + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    void* const memory =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::abort();
    }
    base_ = static_cast<std::byte*>(memory);
    if (inside > 0 && mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0) {
        std::abort();
    }
    data_ = base_ + page + inside - used;
}

GuardedMemory::~GuardedMemory() {
    if (base_ != nullptr) {
        munmap(base_, mapped_);
    }
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), mapped_(other.mapped_), data_(other.data_) {}

} // namespace kiln::test
