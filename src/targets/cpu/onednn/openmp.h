// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread_pool.h"
#include "targets/cpu/onednn/komp/komp.h"

namespace kiln::targets::cpu::onednn {

/// OpenMP for oneDNN, on Kiln's threads. A region always gets exactly as many threads as OpenMP
/// promised it, and they run at the same time. With the functions of run_memory.h.
extern KompFunctions const kOpenMp;

/// RAII: OpenMP regions that this thread opens run on `team`.
class OnTeam {
public:
    explicit OnTeam(Team& team) noexcept;
    ~OnTeam();
    OnTeam(OnTeam const&) = delete;
    OnTeam& operator=(OnTeam const&) = delete;

private:
    Team* outer_;
    int32_t outerMost_;
};

/// RAII: primitives that this thread creates are for `threads` threads. Regions opened in its
/// lifetime run on the calling thread.
class ForThreads {
public:
    explicit ForThreads(int32_t threads) noexcept;
    ~ForThreads();
    ForThreads(ForThreads const&) = delete;
    ForThreads& operator=(ForThreads const&) = delete;

private:
    Team* outer_;
    int32_t outerMost_;
};

} // namespace kiln::targets::cpu::onednn
