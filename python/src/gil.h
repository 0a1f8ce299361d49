// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <Python.h>

namespace kiln::python {

/// The state of the thread that holds the GIL, as far as this thread can tell: its own if it does.
inline PyThreadState* currentState() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

/// The state of this thread inside of a call from Python that keeps the GIL; null elsewhere.
inline constinit thread_local PyThreadState* keptState = nullptr;

/// Says, while it lives, that a call from Python keeps the GIL: callbacks below it need not ask.
class GilKept {
public:
    GilKept() noexcept : outer_(std::exchange(keptState, currentState())) {}
    ~GilKept() { keptState = outer_; }
    GilKept(GilKept const&) = delete;
    GilKept& operator=(GilKept const&) = delete;

private:
    PyThreadState* outer_;
};

/// Holds the GIL on any thread. False once the interpreter is on its way out and this thread does
/// not hold the GIL already: Python must not be touched then, and what it would free is left.
class Gil {
public:
    Gil() : kept_(isKept()), alive_(kept_ || usable()) {
        if (alive_ && !kept_) {
            state_ = PyGILState_Ensure();
        }
    }
    ~Gil() {
        if (alive_ && !kept_) {
            PyGILState_Release(state_);
        }
    }
    Gil(Gil const&) = delete;
    Gil& operator=(Gil const&) = delete;

    explicit operator bool() const noexcept { return alive_; }

private:
    /// Code in between may have given the GIL back, and called Kiln again without it.
    static bool isKept() noexcept { return keptState != nullptr && keptState == currentState(); }
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

    bool kept_;
    bool alive_;
    PyGILState_STATE state_{};
};

} // namespace kiln::python
