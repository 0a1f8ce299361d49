// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kiln::runtime {

/// Whether KILN_GUARD=1 requests guarded plugin outputs.
bool guardWanted();

/// Memory between inaccessible guard pages. A write past its end or before its start is detected
/// when it happens: the pages are opened, so that the program continues, and damage() reports it
/// afterwards. Detects writes up to 1 GiB behind and before the memory (1 MiB if the process cannot
/// reserve that much). The bytes that share its pages, 63 behind and less than a page before it,
/// are only detected if a write changes their value. Linux, host memory.
class GuardedBlock {
public:
    enum class Damage { kNone, kInFront, kBehind };

    /// Room for `capacity` bytes. Throws kOutOfMemory.
    explicit GuardedBlock(std::size_t capacity);
    ~GuardedBlock();
    GuardedBlock(GuardedBlock const&) = delete;
    GuardedBlock& operator=(GuardedBlock const&) = delete;

    std::size_t capacity() const noexcept { return capacity_; }

    /// Memory for `bytes`, aligned to 64, as close to the guard behind it as the alignment allows.
    /// Closes both guards.
    std::byte* arm(std::size_t bytes);
    /// Where something was written outside the block since arm().
    Damage damage() const;

    // For the signal handler.
    bool ownsGuard(void const* address) const noexcept;
    /// Opens the part of a guard that contains an address; false if the system refuses.
    bool open(void const* address) noexcept;

private:
    std::byte* end() const noexcept { return data_ + dataBytes_; }

    std::byte* base_ = nullptr; ///< start of the guard in front
    std::byte* data_ = nullptr; ///< start of the data pages, behind that guard
    std::size_t guardBytes_ = 0;
    std::size_t dataBytes_ = 0;
    std::byte* begin_ = nullptr; ///< start of the memory of the last arm()
    std::byte* used_ = nullptr;  ///< end of that memory
    std::byte* open_ = nullptr;  ///< start of the first page that it needs
    std::size_t capacity_ = 0;
    std::atomic<bool> touchedInFront_{false};
    std::atomic<bool> touchedBehind_{false};
};

} // namespace kiln::runtime
