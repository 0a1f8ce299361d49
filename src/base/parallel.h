// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace kiln {

/// Number of threads that parallelFor may use: KILN_NUM_THREADS, else the number of cores that this
/// process may run on. It is 1 in a forked child, because threads do not survive fork.
int32_t threadCount() noexcept;

/// Sets threadCount(); values below 1 restore the default. Takes effect at the next parallelFor.
void setThreadCount(int32_t count) noexcept;

using RangeFunction = void (*)(void* context, int64_t begin, int64_t end);

/// Calls run(context, begin, end) over disjoint ranges that cover [0, count), from several threads
/// if count is at least 2 * grain.
void parallelRanges(int64_t count, int64_t grain, RangeFunction run, void* context);

/// Calls body(begin, end) over [0, count). The body must not throw, because it runs on other
/// threads.
template <typename Body>
void parallelFor(int64_t count, int64_t grain, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    parallelRanges(
        count, grain,
        [](void* context, int64_t begin, int64_t end) {
            (*static_cast<Plain*>(context))(begin, end);
        },
        const_cast<std::remove_const_t<Plain>*>(&body));
}

} // namespace kiln
