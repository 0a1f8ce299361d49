// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// For blocks on GPUs of compute capability 9.0 some of whose warps fill stages in shared memory
// that others use: barriers on which some threads arrive and others wait (PTX mbarrier), and
// registers that pass from warpgroup to warpgroup. All threads of a warp wait together.
#pragma once

#include "matrix_units.cuh"

/// Passes from phase to phase, 0 and 1 in turn, each time that as many threads have arrived as
/// initBarrier() said.
struct StageBarrier {
    uint64_t word;
};

#ifdef KILN_MATRIX_UNITS

__device__ inline void initBarrier(StageBarrier& barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(sharedAddress(&barrier)), "r"(arrivals)
                 : "memory");
}

__device__ inline void arrive(StageBarrier& barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :
                 : "r"(sharedAddress(&barrier))
                 : "memory");
}

/// Arrives as soon as the copies that this thread began are done (beginCopy()).
__device__ inline void arriveAfterCopies(StageBarrier& barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
                 :
                 : "r"(sharedAddress(&barrier))
                 : "memory");
}

/// Waits until a phase is over; that before the first is.
__device__ inline void waitForPhase(StageBarrier& barrier, int phase) {
    uint32_t done = 0;
    while (done == 0) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(sharedAddress(&barrier)), "r"(phase)
                     : "memory");
    }
}

/// Leaves each thread of this warpgroup kCount registers.
template <int kCount>
__device__ inline void giveRegisters() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kCount));
}
/// Waits until each thread of this warpgroup can have kCount registers.
template <int kCount>
__device__ inline void takeRegisters() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kCount));
}

#else // threads of the emulation run one at a time

struct EmulatedBarrier {
    uint16_t arrivals;
    uint16_t missing;
    uint32_t phase;
};

__device__ inline EmulatedBarrier& emulated(StageBarrier& barrier) {
    return reinterpret_cast<EmulatedBarrier&>(barrier);
}

__device__ inline void initBarrier(StageBarrier& barrier, int arrivals) {
    uint16_t const count = static_cast<uint16_t>(arrivals);
    emulated(barrier) = {count, count, 0};
}

__device__ inline void arrive(StageBarrier& barrier) {
    EmulatedBarrier& own = emulated(barrier);
    if (--own.missing == 0) {
        own.missing = own.arrivals;
        own.phase ^= 1U;
    }
}

__device__ inline void arriveAfterCopies(StageBarrier& barrier) {
#ifdef KILN_EMULATED_SHARED
    kilnWaitForCopies();
#endif
    arrive(barrier);
}

__device__ inline void waitForPhase(StageBarrier& barrier, int phase) {
    while (__any_sync(kAllLanes, emulated(barrier).phase != static_cast<uint32_t>(phase)) == 0) {
    }
}

template <int kCount>
__device__ inline void giveRegisters() {}
template <int kCount>
__device__ inline void takeRegisters() {}

#endif
