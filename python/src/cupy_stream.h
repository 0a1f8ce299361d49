// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

namespace kiln::python {

/// While it lives, CuPy's current stream of that device is the given one, if CuPy was imported.
/// Needs the GIL. Throws what CuPy raises.
class CupyStream {
public:
    CupyStream(int32_t device, void* stream);
    ~CupyStream() {
        if (before_ != nullptr) {
            putBack();
        }
    }
    CupyStream(CupyStream const&) = delete;
    CupyStream& operator=(CupyStream const&) = delete;

private:
    void putBack() noexcept;

    PyObject* before_ = nullptr; // what to put back; null: nothing was changed
    void* pointer_ = nullptr;    // of that
    PyObject* exit_ = nullptr;   // of the stream that is current meanwhile
};

} // namespace kiln::python
