// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A reserve of blocks of a few sizes. Each size has a stack of free blocks, which threads change
// without a lock; blocks that were never used lie behind those that were, so the system gives
// memory only to what runs need. The largest ones are for the copies of operands that oneDNN's
// product of matrices makes in convolutions.
#include "targets/cpu/onednn/run_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace kiln::targets::cpu::onednn {
namespace {

struct BlockSize {
    std::size_t bytes;
    uint32_t count;
};

constexpr std::array<BlockSize, 4> kSizes{
    {{128, 4096}, {1024, 512}, {std::size_t{128} << 10, 128}, {std::size_t{2} << 20, 64}}};
constexpr uint32_t kMostBlocks = 4096;
/// A multiple of the alignments of all blocks: those of a size are aligned to it, up to a page.
constexpr std::size_t kAlignments = 4096;

/// Free blocks of one size. The head of the stack is the number of a block, counted from 1, and in
/// its upper half the number of changes, so that a block that left and came back is noticed.
class Blocks {
public:
    void* take(std::byte* base, BlockSize const& size) noexcept {
        uint64_t head = head_.load(std::memory_order_acquire);
        while (static_cast<uint32_t>(head) != 0) {
            uint32_t const index = static_cast<uint32_t>(head) - 1;
            uint64_t const next = behind_[index].load(std::memory_order_relaxed);
            if (head_.compare_exchange_weak(head, changed(head) | next, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
                return base + index * size.bytes;
            }
        }
        uint32_t unused = unused_.load(std::memory_order_relaxed);
        while (unused < size.count) {
            if (unused_.compare_exchange_weak(unused, unused + 1, std::memory_order_relaxed)) {
                return base + unused * size.bytes;
            }
        }
        return nullptr;
    }

    void give(uint32_t index) noexcept {
        uint64_t head = head_.load(std::memory_order_relaxed);
        do {
            behind_[index].store(static_cast<uint32_t>(head), std::memory_order_relaxed);
        } while (!head_.compare_exchange_weak(head, changed(head) | (index + 1),
                                              std::memory_order_acq_rel,
                                              std::memory_order_relaxed));
    }

private:
    static uint64_t changed(uint64_t head) noexcept { return ((head >> 32) + 1) << 32; }

    std::atomic<uint64_t> head_{0};
    std::atomic<uint32_t> unused_{0}; ///< the first block that was never used
    std::array<std::atomic<uint32_t>, kMostBlocks> behind_{};
};

class Reserve {
public:
    Reserve() noexcept {
        std::size_t bytes = 0;
        for (BlockSize const& size : kSizes) {
            bytes += size.bytes * size.count;
        }
        void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            begin_ = static_cast<std::byte*>(memory);
            end_ = begin_ + bytes;
        }
    }

    /// Null if there is no block for it.
    void* take(std::size_t alignment, std::size_t bytes) noexcept {
        std::byte* base = begin_;
        for (std::size_t i = 0; i < kSizes.size() && base != nullptr; ++i) {
            if (bytes <= kSizes[i].bytes && alignment <= std::min(kSizes[i].bytes, kAlignments)) {
                if (void* const memory = blocks_[i].take(base, kSizes[i])) {
                    return memory;
                }
            }
            base += kSizes[i].bytes * kSizes[i].count;
        }
        return nullptr;
    }

    /// Whether it is one of the reserve's blocks.
    bool give(void* memory) noexcept {
        auto* const block = static_cast<std::byte*>(memory);
        if (block < begin_ || block >= end_) {
            return false;
        }
        auto offset = static_cast<std::size_t>(block - begin_);
        std::size_t i = 0;
        for (; offset >= kSizes[i].bytes * kSizes[i].count; ++i) {
            offset -= kSizes[i].bytes * kSizes[i].count;
        }
        blocks_[i].give(static_cast<uint32_t>(offset / kSizes[i].bytes));
        return true;
    }

private:
    std::byte* begin_ = nullptr;
    std::byte* end_ = nullptr;
    std::array<Blocks, kSizes.size()> blocks_;
};

/// Never destroyed: oneDNN frees memory when the process ends.
Reserve& reserve() noexcept {
    alignas(Reserve) static std::byte room[sizeof(Reserve)];
    static auto* const made = new (room) Reserve;
    return *made;
}

constinit thread_local bool running = false;

} // namespace

InRun::InRun(bool runs) noexcept : outer_(std::exchange(running, runs)) {}

InRun::~InRun() {
    running = outer_;
}

bool InRun::now() noexcept {
    return running;
}

void* allocate(std::size_t bytes) {
    void* const block = running ? reserve().take(1, bytes) : nullptr;
    return block != nullptr ? block : ::operator new(bytes);
}

void release(void* memory) noexcept {
    if (!reserve().give(memory)) {
        ::operator delete(memory);
    }
}

int allocateAligned(void** memory, std::size_t alignment, std::size_t bytes) {
    *memory = running ? reserve().take(alignment, bytes) : nullptr;
    return *memory != nullptr ? 0 : ::posix_memalign(memory, alignment, bytes);
}

void releaseAligned(void* memory) noexcept {
    if (!reserve().give(memory)) {
        std::free(memory);
    }
}

} // namespace kiln::targets::cpu::onednn
