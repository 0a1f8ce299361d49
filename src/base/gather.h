// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace kiln {

/// The threads of a parallel loop that can have a core at the same time: threadCount(), or the
/// number of cores that this process may run on.
int32_t gatherableThreads() noexcept;

/// Waits until `threads` threads, this one and others of the pool, have a core at the same time,
/// for at most `limit`; returns whether they did. For timings: a parallel loop that starts while
/// another process has the core of a helper takes the time of fewer threads.
bool gatherThreads(int32_t threads, std::chrono::microseconds limit) noexcept;

} // namespace kiln
