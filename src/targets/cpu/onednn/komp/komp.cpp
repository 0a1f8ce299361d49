// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// libkomp.so, which Kiln's copy of oneDNN needs instead of libgomp. A library of its own, because
// the loader binds these names when it loads oneDNN: they must come from one of the libraries that
// oneDNN needs. Uses nothing but the C library.
#include "targets/cpu/onednn/komp/komp.h"

#include <stdlib.h>

#define KOMP_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

bool alone(long start, long end, long step, long, long* first, long* last) {
    *first = start;
    *last = end;
    return step > 0 ? start < end : start > end;
}

constexpr KompFunctions kAlone{
    [](void (*)(void*), void*, unsigned) {}, // the caller runs the body itself
    [] {},
    [] {},
    alone,
    [](long*, long*) { return false; },
    [] { return 1; },
    [] { return 1; },
    [] { return 0; },
    [] { return 0; },
    malloc,
    free,
    posix_memalign,
    free,
};

KompFunctions const* functions = &kAlone;

} // namespace

KOMP_EXPORT void komp_connect(KompFunctions const* given) {
    functions = given;
}

KOMP_EXPORT void komp_parallel_start(void (*body)(void*), void* data, unsigned threads) {
    functions->parallelStart(body, data, threads);
}

KOMP_EXPORT void komp_parallel_end() {
    functions->parallelEnd();
}

KOMP_EXPORT void komp_barrier() {
    functions->barrier();
}

KOMP_EXPORT bool komp_loop_static_start(long start, long end, long step, long chunk, long* first,
                                        long* last) {
    return functions->loopStart(start, end, step, chunk, first, last);
}

KOMP_EXPORT bool komp_loop_static_next(long* first, long* last) {
    return functions->loopNext(first, last);
}

KOMP_EXPORT void komp_loop_end_nowait() {}

KOMP_EXPORT int komp_max_threads() {
    return functions->maxThreads();
}

KOMP_EXPORT int komp_num_threads() {
    return functions->threadCount();
}

KOMP_EXPORT int komp_thread_num() {
    return functions->threadNumber();
}

KOMP_EXPORT int komp_inside() {
    return functions->inParallel();
}

KOMP_EXPORT void* knewm(unsigned long bytes) {
    return functions->allocate(bytes);
}

KOMP_EXPORT void kdelpv(void* memory) {
    functions->release(memory);
}

KOMP_EXPORT int komp_memalign(void** memory, unsigned long alignment, unsigned long bytes) {
    return functions->allocateAligned(memory, alignment, bytes);
}

KOMP_EXPORT void kfre(void* memory) {
    functions->releaseAligned(memory);
}
