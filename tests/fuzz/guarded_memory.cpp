// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/guarded_memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr std::size_t kGuard = std::size_t{1} << 20; // a multiple of every page size
constexpr unsigned char kPattern = 0xA5;

} // namespace

GuardedMemory::GuardedMemory(std::size_t bytes, Touches touches, std::size_t alignment)
    : bytes_(bytes) {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t const used = (bytes + alignment - 1) / alignment * alignment;
    std::size_t const inside = (used + page - 1) / page * page;
    mapped_ = inside + 2 * kGuard;
    void* const memory =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::abort();
    }
    base_ = static_cast<std::byte*>(memory);
    std::byte* const first = base_ + kGuard;
    if (inside > 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) {
        std::abort();
    }
    data_ = touches == Touches::kFront ? first : first + inside - used;
    // The memory itself stays zero, as fresh pages are.
    std::memset(first, kPattern, static_cast<std::size_t>(data_ - first));
    std::memset(data_ + bytes, kPattern, static_cast<std::size_t>(first + inside - data_) - bytes);
}

GuardedMemory::~GuardedMemory() {
    if (base_ != nullptr) {
        munmap(base_, mapped_);
    }
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : bytes_(other.bytes_), base_(std::exchange(other.base_, nullptr)), mapped_(other.mapped_),
      data_(other.data_) {}

void GuardedMemory::check(char const* name) const {
    std::byte const* const first = base_ + kGuard;
    std::byte const* const end = base_ + mapped_ - kGuard;
    for (std::byte const* at = first; at != end; ++at) {
        bool const inside = at >= data_ && at < data_ + bytes_;
        if (!inside && *at != std::byte{kPattern}) {
            std::fprintf(stderr, "'%s': a byte %td from its start has changed\n", name, at - data_);
            std::abort();
        }
    }
}

} // namespace kiln::test
