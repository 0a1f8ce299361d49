// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The program's memory, which fails when a test says so. Replaces malloc and related functions for
// the whole process, so that they fail for the C++ library, the system's loader and Kiln. Under
// sanitizers, which have their own malloc, it replaces operator new only.
#pragma once

#include <cstdint>

namespace kiln::test {

enum class Failing {
    kOne,  ///< only the n-th allocation
    kFrom, ///< the n-th and all later ones
};

/// Makes allocations fail from here on; the first one is number 0.
void failMemory(Failing mode, int64_t number) noexcept;
/// Counts allocations; none fails.
void countMemory() noexcept;
/// Makes allocations work again. Returns how many were requested in between.
int64_t mendMemory() noexcept;

/// Number of bytes that are allocated.
int64_t liveBytes() noexcept;

} // namespace kiln::test
