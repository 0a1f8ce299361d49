// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln {

/// A loop that is cut into pieces: piece(context, i) for each i in [0, pieces). A piece must not
/// throw.
struct PieceLoop {
    void (*piece)(void const* context, int64_t index);
    void const* context;
    int64_t pieces;
};

/// Runs all pieces, on this thread and on at most `helpers` threads of the process's pool, and
/// returns when all are done.
///
/// Every thread, including the caller, takes the next free piece. So the caller waits only for
/// pieces that others have begun, never for a thread without a core. Idle threads spin for some
/// microseconds and then sleep in the kernel. Loops of several callers share the threads; a loop
/// that finds no free thread runs on its caller.
void runOnPool(PieceLoop const& loop, int32_t helpers) noexcept;

} // namespace kiln
