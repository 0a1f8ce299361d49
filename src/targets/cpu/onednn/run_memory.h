// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kiln::targets::cpu::onednn {

/// RAII: this thread runs a kernel of oneDNN, if `runs`. What oneDNN allocates meanwhile, and frees
/// when the kernel is done, comes from a reserve of blocks: a run calls no allocator.
class InRun {
public:
    explicit InRun(bool runs = true) noexcept;
    ~InRun();
    InRun(InRun const&) = delete;
    InRun& operator=(InRun const&) = delete;

    /// Whether this thread is in a run.
    static bool now() noexcept;

private:
    bool outer_;
};

/// The functions that oneDNN calls in place of operator new and delete, posix_memalign and free.
/// Outside of runs, and for what the reserve does not have, they are these.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
int allocateAligned(void** memory, std::size_t alignment, std::size_t bytes);
void releaseAligned(void* memory) noexcept;

} // namespace kiln::targets::cpu::onednn
