// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kiln::test {

/// Memory between inaccessible pages: an access up to 1 MiB beyond either end ends the process. The
/// memory touches one of the two ends; the rest of its pages holds a pattern that check() verifies.
class GuardedMemory {
public:
    enum class Touches { kFront, kBack };

    /// `alignment` is a power of two. Memory at the back may have up to alignment - 1 bytes behind
    /// it.
    explicit GuardedMemory(std::size_t bytes, Touches touches = Touches::kBack,
                           std::size_t alignment = 16);
    ~GuardedMemory();
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&&) = delete;

    std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return bytes_; }

    /// Aborts with a message if a byte beside the memory has changed.
    void check(char const* name) const;

private:
    std::size_t bytes_;
    std::byte* base_ = nullptr;
    std::size_t mapped_ = 0;
    std::byte* data_ = nullptr;
};

} // namespace kiln::test
