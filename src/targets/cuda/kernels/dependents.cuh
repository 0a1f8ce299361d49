// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that may be launched before the one in front of them has ended, on GPUs of compute
// capability 9.0 and later (PTX griddepcontrol; GridLaunch::overlaps).
#pragma once

#include "prelude.cuh"

/// Waits until what was launched before has ended and its writes are seen. Goes before the first
/// access to an operand.
__device__ inline void waitForInputs() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#elif defined(KILN_EMULATED_SHARED)
    kilnWaitForInputs();
#endif
}

/// Lets the next launch begin once all blocks have come here; it waits for this one by itself.
__device__ inline void letNextBegin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
