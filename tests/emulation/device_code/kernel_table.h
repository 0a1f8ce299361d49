// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the emulation and a compiled kernel source share. Needs no header: kernels have none.
#pragma once

struct KilnIndex {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
};

/// Of each compiled source: where the thread that runs now stands, and how it waits for others.
struct KilnState {
    KilnIndex thread;
    KilnIndex block;
    KilnIndex blockExtent;
    KilnIndex gridExtent;
    void (*waitForBlock)() = nullptr;
    /// Waits for the lanes of the mask; returns those that are still running.
    unsigned (*waitForWarp)(unsigned mask) = nullptr;
    unsigned long long slots[1024]; ///< one for each thread of the block: what shuffles exchange
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
