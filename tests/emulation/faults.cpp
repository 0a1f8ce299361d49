// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "emulation/faults.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <utility>

#include "emulation/memory.h"

namespace kiln::emulation {
namespace {

struct Fault {
    int signal;
    CUresult result;
    char const* text;
    struct sigaction before;
};

std::array<Fault, 4> faults{{
    {SIGSEGV, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address", {}},
    {SIGBUS, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address", {}},
    {SIGILL, kMisalignedAddress, "an unaligned access, or an index outside of an array", {}},
    {SIGFPE, CUDA_ERROR_LAUNCH_FAILED, "an integer divided by zero", {}},
}};

thread_local sigjmp_buf* landing = nullptr;
thread_local CUresult landed = CUDA_SUCCESS;

void handle(int signal, siginfo_t* info, void*) {
    for (Fault const& fault : faults) {
        if (fault.signal != signal) {
            continue;
        }
        if (landing != nullptr) {
            std::fprintf(stderr, "[emulated GPU] %s: %p\n", fault.text, info->si_addr);
            landed = fault.result;
            siglongjmp(*landing, 1);
        }
        if (allocationOf(info->si_addr) != nullptr) {
            std::fprintf(stderr, "[emulated GPU] the host touches device memory at %p\n",
                         info->si_addr);
        }
        sigaction(signal, &fault.before, nullptr); // the fault repeats, unhandled here
    }
}

void watch() {
    struct sigaction action{};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (Fault& fault : faults) {
        struct sigaction now{};
        sigaction(fault.signal, nullptr, &now);
        if (now.sa_sigaction != &handle) {
            sigaction(fault.signal, &action, &fault.before);
        }
    }
}

} // namespace

CUresult catchFaults(std::function<void()> const& run) {
    watch();
    sigjmp_buf here;
    sigjmp_buf* const outer = std::exchange(landing, &here);
    landed = CUDA_SUCCESS;
    if (sigsetjmp(here, 1) == 0) {
        run();
    }
    landing = outer;
    return landed;
}

} // namespace kiln::emulation
