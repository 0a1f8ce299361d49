// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kiln::runtime {

/// Whether KILN_GUARD=1 asks for guarded plugin outputs.
bool guardWanted();

/// Memory between pages that nobody may touch. A write past its end or in front of its beginning is
/// noticed when it happens: the pages are opened, so that the program goes on, and damage() says so
/// afterwards. Found are writes up to 1 GiB behind the memory and as far in front of it (1 MiB
/// where the process may not reserve that much); of the bytes next to it, 63 behind and less than a
/// page in front, which share its pages, only those that change a value. Linux, host memory.
class GuardedBlock {
public:
    enum class Damage { kNone, kInFront, kBehind };

    /// Room for `capacity` bytes. Throws kOutOfMemory.
    explicit GuardedBlock(std::size_t capacity);
    ~GuardedBlock();
    GuardedBlock(GuardedBlock const&) = delete;
    GuardedBlock& operator=(GuardedBlock const&) = delete;

    std::size_t capacity() const noexcept { return capacity_; }

    /// Memory for `bytes`, aligned to 64, as close to the guard behind it as that allows; closes
    /// both guards.
    std::byte* arm(std::size_t bytes);
    /// Where something was written outside of the block since arm().
    Damage damage() const;

    // For the signal handler.
    bool ownsGuard(void const* address) const noexcept;
    /// Opens the part of a guard that an address lies in; false if the system refuses.
    bool open(void const* address) noexcept;

private:
    std::byte* end() const noexcept { return data_ + dataBytes_; }

    std::byte* base_ = nullptr; ///< of the guard in front
    std::byte* data_ = nullptr; ///< behind it, whole pages
    std::size_t guardBytes_ = 0;
    std::size_t dataBytes_ = 0;
    std::byte* begin_ = nullptr; ///< where the memory of the last arm() lies
    std::byte* used_ = nullptr;  ///< where it ends
    std::byte* open_ = nullptr;  ///< where the pages begin that it needs
    std::size_t capacity_ = 0;
    std::atomic<bool> touchedInFront_{false};
    std::atomic<bool> touchedBehind_{false};
};

} // namespace kiln::runtime
