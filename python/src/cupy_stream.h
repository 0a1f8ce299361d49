// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

namespace kiln::python {

struct CupyFunctions;

/// After set(), as long as it lives, CuPy's current stream of that device is the given one.
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
    PyObject* before_ = nullptr; // what to put back; null: nothing was changed
    void* pointer_ = nullptr;    // of that
    PyObject* exit_ = nullptr;   // of the stream that is current meanwhile
};

} // namespace kiln::python
