// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

namespace kiln::python {

/// While it lives, Torch's current stream of that device is the given one, if Torch was imported.
/// Needs the GIL. Throws what Torch raises.
class TorchStream {
public:
    TorchStream(int32_t device, void* stream);
    ~TorchStream() {
        if (guard_ != nullptr || before_ != nullptr) {
            putBack();
        }
    }
    TorchStream(TorchStream const&) = delete;
    TorchStream& operator=(TorchStream const&) = delete;

private:
    void putBack() noexcept;

    void* guard_ = nullptr;      // Torch's own, which puts back what was; null: there is none
    PyObject* before_ = nullptr; // what to put back without one; null: nothing
};

} // namespace kiln::python
