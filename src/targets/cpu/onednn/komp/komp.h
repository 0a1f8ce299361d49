// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// libkomp.so has the functions of OpenMP and for memory that oneDNN calls, under names of its own,
/// and passes them on to these. Until komp_connect() is called, it runs everything on the calling
/// thread.
struct KompFunctions {
    void (*parallelStart)(void (*body)(void*), void* data, unsigned threads);
    void (*parallelEnd)();
    void (*barrier)();
    bool (*loopStart)(long start, long end, long step, long chunk, long* first, long* last);
    bool (*loopNext)(long* first, long* last);
    int (*maxThreads)();
    int (*threadCount)();
    int (*threadNumber)();
    int (*inParallel)();
    void* (*allocate)(unsigned long bytes);
    void (*release)(void* memory);
    int (*allocateAligned)(void** memory, unsigned long alignment, unsigned long bytes);
    void (*releaseAligned)(void* memory);
};

using KompConnect = void (*)(KompFunctions const* functions);
