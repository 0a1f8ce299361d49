// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the emulation and compiled kernels. Includes no header, because kernels have none.
#pragma once

struct KilnIndex {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
};

/// State of a compiled source: indices of the current thread, and functions to wait for others.
struct KilnState {
    KilnIndex thread;
    KilnIndex block;
    KilnIndex blockExtent;
    KilnIndex gridExtent;
    void (*waitForBlock)() = nullptr;
    /// Waits for the lanes of the mask; returns those that are still running.
    unsigned (*waitForWarp)(unsigned mask) = nullptr;
    /// The same, and received[thread] gets what the lane had in its slot when all had arrived, or a
    /// bit for each lane whose slot was not 0.
    void (*exchange)(unsigned mask, unsigned lane) = nullptr;
    void (*vote)(unsigned mask) = nullptr;
    /// Asynchronous copies of 16 bytes to shared memory by a thread of the block: they are done
    /// when the thread waits for their group, not before. Without `from`, zeros.
    void (*beginCopy)(unsigned thread, void* to, void const* from) = nullptr;
    void (*endGroup)(unsigned thread) = nullptr;
    void (*waitForGroups)(unsigned thread, unsigned left) = nullptr;
    void (*waitForCopies)(unsigned thread) = nullptr;
    void (*waitForInputs)() = nullptr;      ///< until earlier kernels have ended
    unsigned char* dynamicShared = nullptr; ///< shared memory whose size the launch gives
    char* staticShared[2] = {}; ///< where the variables of all kernels in shared memory begin, end
    unsigned long long slots[1024]; ///< values in shuffles, one for each thread of the block
    unsigned long long received[1024];
};

/// One __global__ function.
struct KilnKernel {
    char const* name = nullptr; ///< null: the end of the table
    void (*function)() = nullptr;
    void (*call)(void (*function)(), void** parameters) = nullptr;
    unsigned parameters = 0;
    unsigned long const* sizes = nullptr;
    bool const* pointers = nullptr; ///< which parameters are pointers
};
