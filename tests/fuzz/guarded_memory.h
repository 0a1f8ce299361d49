// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kiln::test {

/// Memory between pages that nobody may touch: an access in front of it or behind it ends the
/// process. Starts at a multiple of 16, so up to 15 bytes behind it go unnoticed; in front of it,
/// those that share its page.
class GuardedMemory {
public:
    explicit GuardedMemory(std::size_t bytes);
    ~GuardedMemory();
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&&) = delete;

    void* data() const noexcept { return data_; }

private:
    std::byte* base_ = nullptr;
    std::size_t mapped_ = 0;
    std::byte* data_ = nullptr;
};

} // namespace kiln::test
