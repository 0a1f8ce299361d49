// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The program's memory, which fails when a test says so. Replaces malloc and its like for the whole
// process, so that the C++ library, the system's loader and Kiln all meet it. Under sanitizers,
// which have a malloc of their own, it replaces operator new alone.
#pragma once

#include <cstdint>

namespace kiln::test {

enum class Failing {
    kOne,  ///< the n-th allocation alone
    kFrom, ///< the n-th and all that follow
};

/// From now on, allocations fail as told; the first is number 0.
void failMemory(Failing mode, int64_t number) noexcept;
/// Counts, and fails none.
void countMemory() noexcept;
/// Allocations work again. Returns how many were asked for meanwhile.
int64_t mendMemory() noexcept;

/// Bytes that are allocated now.
int64_t liveBytes() noexcept;

} // namespace kiln::test
