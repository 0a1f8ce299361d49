// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace kiln {

/// One T for each thread, created on the thread's first get() and destroyed with the thread. For
/// static variables. Without memory get() throws, whereas a `thread_local` T with a destructor
/// would terminate the process.
template <typename T>
class PerThread {
public:
    PerThread() noexcept
        : made_(pthread_key_create(&key_, [](void* own) { delete static_cast<T*>(own); }) == 0) {}
    PerThread(PerThread const&) = delete;
    PerThread& operator=(PerThread const&) = delete;

    /// Throws std::bad_alloc.
    T& get() {
        if (T* const known = find()) {
            return *known;
        }
        auto own = std::make_unique<T>();
        if (!made_ || pthread_setspecific(key_, own.get()) != 0) {
            throw std::bad_alloc();
        }
        return *own.release();
    }
    /// Null if this thread has not called get().
    T* find() const noexcept {
        return made_ ? static_cast<T*>(pthread_getspecific(key_)) : nullptr;
    }

private:
    pthread_key_t key_{};
    bool made_;
};

} // namespace kiln
