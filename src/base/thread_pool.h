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

/// Threads for loops whose pieces wait for each other, so that all of them must run at the same
/// time. Reserves a place for a loop and as many threads as it needs, then runs any number of loops
/// one after the other.
class Team {
public:
    /// A team of the caller and `members - 1` threads of the pool. It has one member if the system
    /// starts no more threads, or in a forked child, where no threads exist.
    explicit Team(int32_t members) noexcept;
    ~Team();
    Team(Team const&) = delete;
    Team& operator=(Team const&) = delete;

    int32_t members() const noexcept { return members_; }
    /// Starts a loop of at most `members() - 1` pieces on the other members. A piece that starts
    /// late may run after others instead of beside them, but only if these did not wait for it. The
    /// loop must outlive finish().
    void start(PieceLoop const& loop) noexcept;
    /// Runs the pieces that nobody has begun, and waits for all others.
    void finish() noexcept;

private:
    void* slot_ = nullptr;
    int32_t members_ = 1;
};

/// Called once by a forked child: its pool has no threads.
void forgetPoolThreads() noexcept;

} // namespace kiln
