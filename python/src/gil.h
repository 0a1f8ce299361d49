// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace kiln::python {

/// Holds the GIL on any thread. False once the interpreter is on its way out and this thread does
/// not hold the GIL already: Python must not be touched then, and what it would free is left.
class Gil {
public:
    Gil() : alive_(usable()) {
        if (alive_) {
            state_ = PyGILState_Ensure();
        }
    }
    ~Gil() {
        if (alive_) {
            PyGILState_Release(state_);
        }
    }
    Gil(Gil const&) = delete;
    Gil& operator=(Gil const&) = delete;

    explicit operator bool() const noexcept { return alive_; }

private:
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

    bool alive_;
    PyGILState_STATE state_{};
};

} // namespace kiln::python
