// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include <unistd.h>

#include <Python.h>

namespace kiln::python {

/// Blocks this thread until the process ends.
[[noreturn, gnu::cold]] inline void park() noexcept {
    for (;;) {
        pause();
    }
}

/// Parks this thread when the stack is unwound through this object, unless by a C++ exception.
class ParkUnlessDone {
public:
    ParkUnlessDone() = default;
    ~ParkUnlessDone() {
        if (!done && std::uncaught_exceptions() == 0) [[unlikely]] {
            park();
        }
    }
    ParkUnlessDone(ParkUnlessDone const&) = delete;
    ParkUnlessDone& operator=(ParkUnlessDone const&) = delete;

    bool done = false;
};

/// Runs code that may take the GIL. While the interpreter shuts down, Python before 3.14 ends each
/// thread that requests the GIL, except the main thread, with pthread_exit(). That unwinds the
/// stack, and the process aborts at a noexcept function; all callbacks are noexcept. So such a
/// thread is parked here, as Python 3.14 does itself. Avoid C++ objects below the innermost call:
/// their destructors would run without the GIL. (Nothing is caught: a handler within a handler
/// would end the process, too.)
template <typename F>
auto orPark(F&& call) -> decltype(call()) {
    ParkUnlessDone guard;
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        guard.done = true;
    } else {
        auto result = call();
        guard.done = true;
        return result;
    }
}

/// Releases the GIL while it exists.
class GilReleased {
public:
    GilReleased() : thread_(PyEval_SaveThread()) {}
    ~GilReleased() { takeBack(thread_); }
    GilReleased(GilReleased const&) = delete;
    GilReleased& operator=(GilReleased const&) = delete;

    static void takeBack(PyThreadState* thread) noexcept {
        orPark([&] { PyEval_RestoreThread(thread); });
    }

private:
    PyThreadState* thread_;
};

/// Whether this thread is between a call that keeps the GIL and a callback, with only Kiln's own
/// code in between. It is small enough for initial-exec TLS, which is accessed without a call.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local bool gilKept = false;

/// While it exists, a call from Python keeps the GIL, and a callback below it need not take it.
class GilKept {
public:
    GilKept() noexcept { gilKept = true; }
    ~GilKept() { gilKept = false; }
    GilKept(GilKept const&) = delete;
    GilKept& operator=(GilKept const&) = delete;
};

/// Holds the GIL on any thread. False if the interpreter has ended or shuts down and this thread
/// does not hold the GIL already: then do not call Python, and leak its objects.
class Gil {
public:
    Gil() : kept_(std::exchange(gilKept, false)), alive_(kept_ || take()) {}
    ~Gil() {
        if (kept_) {
            gilKept = true; // for the next callback of that call
        } else if (alive_) {
            PyGILState_Release(state_);
        }
    }
    Gil(Gil const&) = delete;
    Gil& operator=(Gil const&) = delete;

    explicit operator bool() const noexcept { return alive_; }

private:
    [[gnu::noinline]] bool take() noexcept {
        if (!usable()) {
            return false;
        }
        orPark([&] { state_ = PyGILState_Ensure(); });
        return true;
    }
    static bool usable() noexcept {
        if (Py_IsInitialized() == 0) {
            return false;
        }
#if PY_VERSION_HEX >= 0x030D0000
        return Py_IsFinalizing() == 0 || PyGILState_Check() != 0;
#else
        return _Py_IsFinalizing() == 0 || PyGILState_Check() != 0;
#endif
    }

    PyGILState_STATE state_{};
    bool kept_;
    bool alive_;
};

} // namespace kiln::python
