// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/failing_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

namespace kiln::test {

std::atomic<bool> threadsFail{false};

} // namespace kiln::test

/// Replaces the system's function, and calls it.
extern "C" int pthread_create(pthread_t* thread, pthread_attr_t const* attributes,
                              void* (*run)(void*), void* argument) noexcept {
    using Create = int(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);
    static auto* const create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
    return kiln::test::threadsFail ? EAGAIN : create(thread, attributes, run, argument);
}
