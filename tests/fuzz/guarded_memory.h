// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kiln::test {

/// Memory between pages that nobody may touch: an access beyond either end, of up to 1 MiB, ends
/// the process. The memory touches one of the two ends; what is left of its pages holds a pattern
/// that check() looks for.
class GuardedMemory {
public:
    enum class Touches { kFront, kBack };

    /// `alignment` is a power of two; of memory at the back, as many bytes less one may lie behind.
    explicit GuardedMemory(std::size_t bytes, Touches touches = Touches::kBack,
                           std::size_t alignment = 16);
    ~GuardedMemory();
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&&) = delete;

    std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return bytes_; }

    /// Ends the process, with a message, if a byte beside the memory has changed.
    void check(char const* name) const;

private:
    std::size_t bytes_;
    std::byte* base_ = nullptr;
    std::size_t mapped_ = 0;
    std::byte* data_ = nullptr;
};

} // namespace kiln::test
