// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kiln::runtime {

/// Whether KILN_GUARD=1 asks for guarded plugin outputs.
bool guardWanted();

/// Memory in front of pages that nobody may touch. A write past its end is noticed when it happens:
/// the pages are opened, so that the program goes on, and overrun() says so afterwards. Only writes
/// that jump over the whole guard (1 MiB) are lost to it. Linux, host memory.
class GuardedBlock {
public:
    /// Room for `capacity` bytes. Throws kOutOfMemory.
    explicit GuardedBlock(std::size_t capacity);
    ~GuardedBlock();
    GuardedBlock(GuardedBlock const&) = delete;
    GuardedBlock& operator=(GuardedBlock const&) = delete;

    std::size_t capacity() const noexcept { return capacity_; }

    /// Memory for `bytes`, aligned to 64, as close to the guard as that allows; closes the guard.
    std::byte* arm(std::size_t bytes);
    /// Whether something was written behind the block since arm().
    bool overrun() const;

    // For the signal handler.
    bool ownsGuard(void const* address) const noexcept;
    void open() noexcept;

private:
    std::byte* base_ = nullptr;
    std::size_t dataBytes_ = 0; ///< whole pages
    std::byte* used_ = nullptr; ///< where the memory of the last arm() ends
    std::size_t capacity_ = 0;
    std::atomic<bool> touched_{false};
};

} // namespace kiln::runtime
