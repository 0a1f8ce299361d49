// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

namespace kiln::python {

struct TorchFunctions;

/// From set() until destruction, the given stream is Torch's current stream of the device.
/// Needs the GIL.
class TorchStream {
public:
    TorchStream() = default;
    ~TorchStream() {
        if (guard_ != nullptr || before_ != nullptr) {
            putBack();
        }
    }
    TorchStream(TorchStream const&) = delete;
    TorchStream& operator=(TorchStream const&) = delete;

    /// Throws what Torch raises.
    void set(TorchFunctions const& functions, int32_t device, void* stream);

private:
    [[gnu::cold]] void setInPython(int32_t device, void* stream);
    [[gnu::cold]] void putBack() noexcept;

    TorchFunctions const* functions_ = nullptr;
    void* guard_ = nullptr;      // Torch's own, which restores the stream; null: there is none
    PyObject* before_ = nullptr; // the stream to restore without a guard; null: nothing
};

} // namespace kiln::python
