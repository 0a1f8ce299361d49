// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "emulation/fibers.h"

#include <cstddef>
#include <cstdlib>

#include <sys/mman.h>

namespace kiln::emulation {
namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;

void allocate(Fiber& fiber) {
    if (fiber.stack == nullptr) {
        void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) {
            std::abort();
        }
        fiber.stack = static_cast<char*>(stack);
    }
}

} // namespace

#if defined(__x86_64__)

// Saves what a function must preserve on the stack, and exchanges the stacks.
extern "C" void kilnSwitchStacks(void** from, void* to);
asm(R"(
.text
.p2align 4
.local kilnSwitchStacks
.type kilnSwitchStacks, @function
kilnSwitchStacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size kilnSwitchStacks, .-kilnSwitchStacks
)");

void prepare(Fiber& fiber, void (*begin)()) {
    allocate(fiber);
    // Registers, the function, and in place of its return address a null that ends backtraces.
    void** const top = reinterpret_cast<void**>(fiber.stack + kStackBytes);
    top[-1] = nullptr;
    top[-2] = reinterpret_cast<void*>(begin);
    for (int i = 3; i <= 8; ++i) {
        top[-i] = nullptr;
    }
    fiber.at = top - 8;
}

void switchFibers(Fiber& from, Fiber& to) {
    kilnSwitchStacks(&from.at, to.at);
}

#else

void prepare(Fiber& fiber, void (*begin)()) {
    allocate(fiber);
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack;
    fiber.start.uc_stack.ss_size = kStackBytes;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, begin, 0);
    fiber.fresh = true;
}

void switchFibers(Fiber& from, Fiber& to) {
    if (_setjmp(from.at) != 0) {
        return;
    }
    if (to.fresh) {
        to.fresh = false;
        setcontext(&to.start);
    }
    _longjmp(to.at, 1);
}

#endif

} // namespace kiln::emulation
