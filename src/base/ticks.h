// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace kiln {

/// A counter that increases with time. A call costs a few nanoseconds; the rate depends on the
/// machine.
inline uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __rdtsc(); // 1 to 5 ticks per nanosecond
#else
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
#endif
}

/// In ticks; about one to four microseconds.
inline constexpr uint64_t kShortWhile = 4000;

} // namespace kiln
