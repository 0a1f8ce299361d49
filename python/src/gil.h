// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <Python.h>

namespace kiln::python {

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
        state_ = PyGILState_Ensure();
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
