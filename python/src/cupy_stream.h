// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

namespace kiln::python {

struct CupyFunctions;

/// From set() until destruction, the given stream is CuPy's current stream of the device.
/// Needs the GIL.
class CupyStream {
public:
    CupyStream() = default;
    ~CupyStream() {
        if (before_ != nullptr) {
            putBack();
        }
    }
    CupyStream(CupyStream const&) = delete;
    CupyStream& operator=(CupyStream const&) = delete;

    /// Throws what CuPy raises.
    void set(CupyFunctions const& functions, int32_t device, void* stream);

private:
    [[gnu::cold]] void change(CupyFunctions const& functions, int32_t device, void* stream);
    [[gnu::cold]] void putBack() noexcept;

    CupyFunctions const* functions_ = nullptr;
    PyObject* before_ = nullptr; // the stream to restore; null: nothing was changed
    void* pointer_ = nullptr;    // pointer of the stream before set()
    PyObject* exit_ = nullptr;   // __exit__ of the stream that is current meanwhile
};

} // namespace kiln::python
