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

/// Parks this thread when the stack is unwound through it, unless a C++ exception does so.
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

/// Runs something that may take the GIL. While the interpreter shuts down, Python before 3.14 ends
/// each thread other than the main one that wants the GIL, by pthread_exit(). That unwinds the
/// stack, and where it meets a function that is noexcept, as all callbacks are, the process aborts.
/// So such a thread is parked here, as Python 3.14 does itself. The innermost call does best
/// without C++ objects below: their destructors would run without the GIL. (Nothing is caught: a
/// handler within a handler would end the process, too.)
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

/// Gives the GIL up while it lives.
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

/// Whether this thread is on its way from a call that keeps the GIL to a callback, with nothing but
/// Kiln's own code in between. So few bytes have room among those that a thread finds without a
/// call.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local bool gilKept = false;

/// Says, while it lives, that a call from Python keeps the GIL: a callback below it need not ask.
class GilKept {
public:
    GilKept() noexcept { gilKept = true; }
    ~GilKept() { gilKept = false; }
    GilKept(GilKept const&) = delete;
    GilKept& operator=(GilKept const&) = delete;
};

/// Holds the GIL on any thread. False once the interpreter is on its way out and this thread does
/// not hold the GIL already: Python must not be touched then, and what it would free is left.
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
