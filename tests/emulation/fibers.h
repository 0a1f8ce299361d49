// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stacks on which the threads of a block wait for each other. A switch between two of them costs a
// few nanoseconds: a product of matrices on the emulated GPU makes hundreds of millions.
#pragma once

#include "emulation/device_code/kernel_table.h"

#if !defined(__x86_64__)
#include <csetjmp>

#include <ucontext.h>
#endif

namespace kiln::emulation {

/// A stack, and where its code continues.
struct Fiber {
    unsigned thread = 0; ///< of the block
    KilnIndex index;     ///< of that thread
    unsigned mask = 0;   ///< lanes that the thread waits for
    unsigned source = 0; ///< lane whose value the thread wants
    char* stack = nullptr;
#if defined(__x86_64__)
    void* at = nullptr;
#else
    bool fresh = false;
    ucontext_t start{};
    jmp_buf at{};
#endif
};

/// Lets the fiber begin with a function that never returns. Allocates the stack at the first call.
void prepare(Fiber& fiber, void (*begin)());

/// Stores where `from` is, which runs now, and continues with `to`.
void switchFibers(Fiber& from, Fiber& to);

} // namespace kiln::emulation
